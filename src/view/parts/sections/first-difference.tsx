import type { VNode } from "preact";
import { countText } from "../../../words/figures.ts";
import { differenceSentences } from "../../../words/steps.ts";
import {
  insteadLines,
  partedLines,
  type BesideLines,
  type Instead,
  type PartedAt,
  type SteppedSide,
} from "../../model/stepped.ts";
import { Name } from "../name.tsx";
import { names, Table, type Column } from "../table.tsx";
import { beside, More, shortName, Sentences } from "./beside-sides.tsx";

/** Where failing attempts leave passing ones; nothing where no row has both. */
export function DifferenceTable({ sides }: { readonly sides: readonly SteppedSide[] }): VNode | null {
  if (sides.every(({ difference }) => (difference?.pair_count ?? 0) === 0)) return null;
  return (
    <>
      <Sentences
        sides={sides}
        sentencesOf={({ difference: own }) => (own === undefined ? [] : differenceSentences(own).slice(0, 1))}
      />
      <CountedLines
        sides={sides}
        label="First difference"
        heads={[
          names((line: Instead) => shortName(line.name ?? STOPS), "Failing attempt"),
          { head: "Passing attempt", cell: (line) => <Name {...shortName(line.other_name ?? STOPS)} /> },
        ]}
        found={insteadLines(sides)}
      />
      <CountedLines
        sides={sides}
        label="Call of the first difference"
        heads={[names(({ index }: PartedAt) => shortName(countText(index)), "Call")]}
        found={partedLines(sides)}
      />
    </>
  );
}

const STOPS = "(stops)";

interface CountedLinesProps<Line> {
  readonly sides: readonly SteppedSide[];
  readonly label: string;
  readonly heads: readonly Column<Line>[];
  readonly found: BesideLines<Line, Line>;
}

/** Lines of which each evaluation has a number of trials and of rows; nothing where there is none. */
function CountedLines<Line extends Record<"trials" | "rows", number>>({
  sides,
  label,
  heads,
  found: { lines, of, left },
}: CountedLinesProps<Line>): VNode | null {
  if (lines.length === 0) return null;
  const count = (member: "trials" | "rows") => (line: Line, side: SteppedSide) =>
    countText(of(line, side)?.[member] ?? 0);
  return (
    <>
      <Table
        label={label}
        columns={[
          ...heads,
          ...beside(sides, "Trials", count("trials")),
          ...beside(sides, "Rows", count("rows")),
        ]}
        lines={lines}
      />
      <More sides={sides} left={left} />
    </>
  );
}
