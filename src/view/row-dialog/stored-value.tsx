import type { ComponentChildren, VNode } from "preact";
import { useId, useState } from "preact/hooks";
import type { Json } from "../../model/json.ts";
import { sizeOfText } from "../../words/figures.ts";
import { plain, type Part } from "../rows/marks.ts";
import type { Readable } from "../rows/readable.ts";
import { ChatValue } from "./chat-value.tsx";
import { LongText } from "./long-text.tsx";
import { isLongText, WholeText, type WholeSource } from "./whole-text.tsx";

interface StoredValueProps {
  /** The level of its heading. */
  readonly heading: "h3" | "h4";
  /** What the region is called. */
  readonly title: ComponentChildren;
  /** Null where it is left out. */
  readonly value: Readable | null;
  /** Where the whole of it comes from; absent where it is never long. */
  readonly whole?: WholeSource;
  /** How the whole is read by people. */
  readonly read?: (value: Json) => Readable;
  /** Whose messages they are, where it is a chat. */
  readonly of?: string;
  /** What is said where it is left out. */
  readonly leftOut: string;
  /** The readable text with its marks; null without marks. */
  readonly marks: readonly Part[] | null;
  readonly marked: "del" | "ins";
}

/** A region with a value: as people read it, or as it is stored; the start of a long one until somebody wants all. */
export function StoredValue(props: StoredValueProps): VNode {
  const { heading: Heading, title, whole, read } = props;
  const id = useId();
  const [asStored, setAsStored] = useState(false);
  const [loaded, setLoaded] = useState<{ readonly key: string; readonly value: Readable } | null>(null);
  const isWhole = whole !== undefined && loaded?.key === whole.key;
  const value = isWhole ? loaded.value : props.value;
  const show = (all: Json | null) => {
    if (all === null || whole === undefined || read === undefined) setLoaded(null);
    else setLoaded({ key: whole.key, value: read(all) });
  };
  const isCut = whole !== undefined && whole.bytes !== null && !isWhole;
  return (
    <section class="stored-value" aria-labelledby={id}>
      <div class="stored-head">
        <Heading id={id}>{title}</Heading>
        {value === null || value.stored === null ? null : (
          <button type="button" aria-pressed={asStored} onClick={() => setAsStored(!asStored)}>
            As stored
          </button>
        )}
      </div>
      {isCut ? <p class="hint">This is the start of {sizeOfText(whole.bytes ?? 0)}.</p> : null}
      <ShownValue {...props} value={value} asStored={asStored} isAll={isCut || isWhole} hasMarks={!isWhole} />
      {whole !== undefined && (whole.bytes !== null || isLongText(value)) ? (
        <WholeText key={whole.key} whole={whole} isShown={isWhole} show={show} />
      ) : null}
    </section>
  );
}

interface ShownValueProps extends StoredValueProps {
  readonly asStored: boolean;
  /** Whether a long text is shown to its end. */
  readonly isAll: boolean;
  readonly hasMarks: boolean;
}

function ShownValue(props: ShownValueProps): VNode {
  const { value, asStored, of = "", leftOut, marks, marked, isAll, hasMarks } = props;
  if (value === null) return <p class="hint">{leftOut}</p>;
  const stored = asStored ? value.stored : null;
  const parts = stored === null ? ((hasMarks ? marks : null) ?? plain(value.text)) : plain(stored);
  return value.chat !== undefined && !asStored ? (
    <ChatValue chat={value.chat} of={of} parts={parts} marked={marked} />
  ) : (
    <LongText parts={parts} marked={marked} isAll={isAll} />
  );
}
