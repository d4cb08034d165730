import type { VNode } from "preact";
import { Name } from "../parts/name.tsx";
import type { LeftOut } from "../payload/packed-rows.ts";
import { counted } from "../../words/figures.ts";

interface RowsNotesProps {
  /** What a report was too large for; null in a view. */
  readonly left: LeftOut | null;
  /** Members of the address that a report cannot do. */
  readonly fixed: readonly string[];
  /** Members of the address that name nothing. */
  readonly unknown: readonly string[];
}

/** What is not shown, and why. */
export function RowsNotes({ left, fixed, unknown }: RowsNotesProps): VNode {
  return (
    <>
      {left === null
        ? null
        : leftOut(left).map((sentence) => (
            <p key={sentence} class="hint">
              {sentence}
            </p>
          ))}
      {fixed.length === 0 ? null : (
        <p class="hint">
          The address asks for what this report was not made of, which only a view can show:{" "}
          {fixed.join(", ")}.
        </p>
      )}
      {unknown.length === 0 ? null : (
        <p class="hint">
          The address has members that name nothing here:{" "}
          {unknown.slice(0, 10).map((name, i) => (
            <>
              {i === 0 ? "" : ", "}
              <Name key={name} text={name} />
            </>
          ))}
          .
        </p>
      )}
    </>
  );
}

function leftOut({ outputs, inputs, rowsNotHere }: LeftOut): string[] {
  const sentences: string[] = [];
  if (rowsNotHere > 0)
    sentences.push(`${counted(rowsNotHere, "row")} of the evaluations are not in this report.`);
  if (outputs === "none") sentences.push("This report holds no outputs.");
  if (outputs === "some") sentences.push("This report holds the outputs of the rows that come first in it.");
  if (inputs === "line") sentences.push("Of each input it holds one line.");
  if (inputs === "none") sentences.push("It holds no inputs.");
  return sentences;
}
