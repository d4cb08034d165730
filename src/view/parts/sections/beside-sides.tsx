import type { ComponentChildren, VNode } from "preact";
import { cutMiddle } from "../../../words/cut-text.ts";
import { countText } from "../../../words/figures.ts";
import type { SteppedSide } from "../../model/stepped.ts";
import { framed, Name } from "../name.tsx";
import { figures, type Column } from "../table.tsx";

interface SentencesProps {
  readonly sides: readonly SteppedSide[];
  readonly sentencesOf: (side: SteppedSide) => readonly string[];
}

/** What is said of each evaluation, with its name where there are two. */
export function Sentences({ sides, sentencesOf: of }: SentencesProps): VNode {
  return (
    <>
      {sides.map((side) =>
        of(side).map((sentence, i) => (
          <p key={`${side.name.id} ${i}`}>
            {sides.length > 1 && i === 0 ? <Of {...side} /> : null}
            {framed(sentence)}
          </p>
        )),
      )}
    </>
  );
}

function Of({ name }: SteppedSide): VNode {
  return (
    <>
      <Name {...name} />:{" "}
    </>
  );
}

/** A column for each evaluation, with its name where there are two. */
export function beside<Line>(
  sides: readonly SteppedSide[],
  head: string,
  cell: (line: Line, side: SteppedSide) => ComponentChildren,
): Column<Line>[] {
  return sides.map((side) =>
    figures(
      (line: Line) => cell(line, side),
      sides.length === 1 ? (
        head
      ) : (
        <>
          {head} <Name {...side.name} />
        </>
      ),
    ),
  );
}

const LONGEST_NAME = 60;

/** Names of tools and reasons are one line. */
export function shortName(name: string): { readonly text: string; readonly full: string } {
  return { text: cutMiddle(name, LONGEST_NAME), full: name };
}

interface MoreProps {
  readonly sides: readonly SteppedSide[];
  readonly left: (side: SteppedSide) => number;
}

/** How many lines of each evaluation are not shown. */
export function More({ sides, left }: MoreProps): VNode {
  return (
    <>
      {sides.map((side) =>
        left(side) === 0 ? null : (
          <p key={side.name.id} class="hint">
            {sides.length > 1 ? <Of {...side} /> : null}
            {countText(left(side))} more
          </p>
        ),
      )}
    </>
  );
}
