import type { VNode } from "preact";
import { latestLines, latestShown, type LatestLine } from "../../model/latest.ts";
import { shownNames } from "../../model/page-names.ts";
import type { Shown } from "../../model/shown.ts";
import { cutMiddle } from "../../../words/cut-text.ts";
import { differenceText, meanText, NOTHING } from "../../../words/figures.ts";
import { standingOf } from "../../../words/standings.ts";
import { Name, unbroken } from "../name.tsx";
import { figures, names, Table, type Column } from "../table.tsx";
import { Verdict } from "../verdict.tsx";

/** How the latest run of each name compares with the one before it; nothing where there is one name. */
export function LatestRunsTable({ shown: { answers, score } }: { readonly shown: Shown }): VNode | null {
  const lines = latestLines(answers, score.key);
  if (lines.length < 2) return null;
  const entries = [...answers.evaluations, ...answers.also];
  const starts = new Map(entries.map(({ id, started_at: at }) => [id, at?.slice(0, 16).replace("T", " ")]));
  const own = latestShown(answers);
  return (
    <Table
      label="Latest runs"
      columns={columnsOf(starts, shownNames(answers))}
      lines={lines}
      keyOf={({ name }) => name}
      isBaseline={({ name }) => name === own?.name}
    />
  );
}

function columnsOf(
  starts: ReadonlyMap<string, string | undefined>,
  shown: ReadonlyMap<string, string>,
): Column<LatestLine>[] {
  const run = (id: string, value: string) => (
    <>
      {value === NOTHING ? null : `${value} `}
      <span class="hint">{unbroken(starts.get(id) ?? NOTHING)}</span>
    </>
  );
  return [
    names(({ name }) => ({ text: shown.get(name) ?? name, full: name }), "Name"),
    figures((line) => run(line.candidate, mean(line, "candidate_mean")), "Latest"),
    figures(
      (line) => (line.baseline === null ? "one run" : run(line.baseline, mean(line, "baseline_mean"))),
      "Run before",
    ),
    figures(({ headline }) => {
      return headline === null ? NOTHING : differenceText(headline.one.difference, headline.score.value_type);
    }, "Difference"),
    { head: "Verdict", kind: "verdicts", cell: (line) => <Verdicts {...line} /> },
    {
      head: "Changed",
      kind: "fact",
      cell: ({ comparison }) => <Changed text={comparison?.changes[0]?.text} />,
    },
  ];
}

/** Characters of what changed that are shown; the tooltip has all of it. */
const LONGEST_CHANGED = 60;

function Changed({ text = NOTHING }: { readonly text: string | undefined }): VNode {
  return <Name text={cutMiddle(text, LONGEST_CHANGED)} full={text} />;
}

function mean({ headline }: LatestLine, of: "candidate_mean" | "baseline_mean"): string {
  return headline === null ? NOTHING : meanText(headline.one[of], headline.score.value_type);
}

/** The verdict in the score of the page, and the scores in which it is worse. */
function Verdicts({ headline, worse, baseline }: LatestLine): VNode {
  return (
    <>
      {headline === null ? (
        baseline === null ? (
          NOTHING
        ) : (
          "not comparable"
        )
      ) : (
        <Verdict standing={standingOf(headline.one)} score={headline.score} />
      )}
      {worse.map(({ one, score }) => (
        <div key={score.key}>
          <Verdict standing={standingOf(one)} score={score} /> in <Name text={score.name} />
        </div>
      ))}
    </>
  );
}
