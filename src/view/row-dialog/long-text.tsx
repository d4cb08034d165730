import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { framed } from "../parts/name.tsx";
import type { Part } from "../rows/marks.ts";
import { startOf } from "../../words/cut-text.ts";
import { countText } from "../../words/figures.ts";

/** Longer texts are shown to here until somebody wants all of it. */
const SHOWN_AT_FIRST = 20_000;

interface LongTextProps {
  /** The text in pieces. */
  readonly parts: readonly Part[];
  /** The element that marked pieces become. */
  readonly marked: "del" | "ins";
  /** Whether the tabulator reaches it; default true. */
  readonly tabbed?: boolean;
  /** Whether it is shown to its end at first; default false. */
  readonly isAll?: boolean;
}

/** A text with its marks, cut where it is very long. */
export function LongText({ parts, marked: Marked, tabbed = true, isAll = false }: LongTextProps): VNode {
  const [wanted, setWanted] = useState(false);
  const all = isAll || wanted;
  const length = parts.reduce((sum, { text }) => sum + text.length, 0);
  const shown = all ? parts : cut(parts, SHOWN_AT_FIRST);
  return (
    <>
      <pre class="text" {...(tabbed ? { tabIndex: 0 } : {})}>
        {shown.map((part, i) =>
          part.marked ? <Marked key={i}>{framed(part.text)}</Marked> : framed(part.text),
        )}
      </pre>
      {length <= SHOWN_AT_FIRST || all ? null : (
        <button type="button" onClick={() => setWanted(true)}>
          Show all {countText(length)} characters
        </button>
      )}
    </>
  );
}

function cut(parts: readonly Part[], most: number): Part[] {
  const kept: Part[] = [];
  let room = most;
  for (const part of parts) {
    if (room <= 0) break;
    kept.push({ ...part, text: startOf(part.text, room) });
    room -= part.text.length;
  }
  return kept;
}
