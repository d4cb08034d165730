import type { ComponentChildren, VNode } from "preact";
import { useId, useState } from "preact/hooks";
import { plain, type Part } from "../rows/marks.ts";
import type { Readable } from "../rows/readable.ts";
import { ChatValue } from "./chat-value.tsx";
import { LongText } from "./long-text.tsx";

interface StoredValueProps {
  /** The level of its heading. */
  readonly heading: "h3" | "h4";
  /** What the region is called. */
  readonly title: ComponentChildren;
  /** Null where it is left out. */
  readonly value: Readable | null;
  /** Whose messages they are, where it is a chat. */
  readonly of?: string;
  /** What is said where it is left out. */
  readonly leftOut: string;
  /** The readable text with its marks; null without marks. */
  readonly marks: readonly Part[] | null;
  readonly marked: "del" | "ins";
}

/** A region with a value: as people read it, or as it is stored. */
export function StoredValue({
  heading: Heading,
  title,
  value,
  of = "",
  leftOut,
  marks,
  marked,
}: StoredValueProps): VNode {
  const id = useId();
  const [asStored, setAsStored] = useState(false);
  const stored = asStored ? value?.stored : null;
  const parts = stored == null ? (marks ?? plain(value?.text ?? "")) : plain(stored);
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
      {value === null ? (
        <p class="hint">{leftOut}</p>
      ) : value.chat !== undefined && !asStored ? (
        <ChatValue chat={value.chat} of={of} parts={parts} marked={marked} />
      ) : (
        <LongText parts={parts} marked={marked} />
      )}
    </section>
  );
}
