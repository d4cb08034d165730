import type { VNode } from "preact";
import type { Shown, ShownEvaluation } from "../../model/shown.ts";
import { TrialsPlot, type TrialsPoint } from "../../plots/trials-plot.tsx";
import { countText, intervalText, meanText } from "../../words/figures.ts";
import { Name } from "../name.tsx";
import { Prose, Section } from "../section.tsx";
import { figures, names, Table, type Column } from "../table.tsx";

/** What several trials of a row say; nothing where rows have one. */
export function SeveralTrialsPart({ shown }: { readonly shown: Shown }): VNode | null {
  const curves = trialsCurves(shown);
  if (curves.length === 0) return null;
  return (
    <Section kind="several-trials" title="Several trials">
      <Prose more="pass@k is the probability that at least one of k trials of a row passes, pass^k that all pass; means over rows with at least k trials.">
        How often k trials of a row pass, 95% intervals.
      </Prose>
      <p class="legend">
        <span>
          <span class="key some" aria-hidden="true" /> pass@k, at least one
        </span>
        <span>
          <span class="key all" aria-hidden="true" /> pass^k, all
        </span>
      </p>
      <div class="pictures">
        {curves.slice(0, MOST_PICTURES).map((points) => (
          <figure key={points[0]?.one.name.id}>
            <figcaption>{points[0] === undefined ? null : <Name {...points[0].one.name} />}</figcaption>
            <TrialsPlot points={points} />
          </figure>
        ))}
      </div>
      <Table label="Several trials" columns={COLUMNS} lines={curves.flat()} />
    </Section>
  );
}

/** The table has them all. */
const MOST_PICTURES = 24;

interface TrialsLine extends TrialsPoint {
  readonly one: ShownEvaluation;
  readonly rows: number;
}

const COLUMNS: readonly Column<TrialsLine>[] = [
  names(({ one }) => one.name),
  figures(({ k }) => countText(k), "k"),
  figures(({ some }) => meanText(some, "binary"), "pass@k", true),
  figures(({ someInterval }) => intervalText(someInterval, "binary"), "95% interval"),
  figures(({ all }) => meanText(all, "binary"), "pass^k", true),
  figures(({ allInterval }) => intervalText(allInterval, "binary"), "95% interval"),
  figures(({ rows }) => countText(rows), "Rows"),
];

/** Of each evaluation whose rows have more than one trial: pass@k and pass^k by k. */
function trialsCurves({ evaluations }: Shown): TrialsLine[][] {
  return evaluations.map(pointsOf).filter((points) => points.some(({ k }) => k > 1));
}

function pointsOf(one: ShownEvaluation): TrialsLine[] {
  const { stats } = one;
  const rows = stats?.pass_k_row_count ?? {};
  return Object.entries(rows)
    .map(([k, count]) => ({ k: Number(k), count }))
    .toSorted((a, b) => a.k - b.k)
    .flatMap(({ k, count }): TrialsLine[] => {
      const [some, all] = [stats?.pass_at_k?.[k] ?? null, stats?.pass_hat_k?.[k] ?? null];
      if (count === 0 || some === null || all === null) return [];
      const someInterval = stats?.pass_at_k_confidence_interval?.[k] ?? null;
      const allInterval = stats?.pass_hat_k_confidence_interval?.[k] ?? null;
      return [{ one, k, some, someInterval, all, allInterval, rows: count }];
    });
}
