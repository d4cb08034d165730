import type { VNode } from "preact";
import { trialsCurves, type TrialsPoint } from "../../model/trials.ts";
import type { Shown, ShownEvaluation } from "../../model/shown.ts";
import { TrialsPlot } from "../../plots/trials-plot.tsx";
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
        {curves.slice(0, MOST_PICTURES).map(({ one, points }) => (
          <figure key={one.name.id}>
            <figcaption>
              <Name {...one.name} />
            </figcaption>
            <TrialsPlot
              some={points.map(({ k, some, someInterval }) => ({ k, value: some, interval: someInterval }))}
              all={points.map(({ k, all, allInterval }) => ({ k, value: all, interval: allInterval }))}
            />
          </figure>
        ))}
      </div>
      <Table
        label="Several trials"
        columns={COLUMNS}
        lines={curves.flatMap(({ one, points }) => points.map((point) => ({ one, ...point })))}
      />
    </Section>
  );
}

/** The table has them all. */
const MOST_PICTURES = 24;

interface TrialsLine extends TrialsPoint {
  readonly one: ShownEvaluation;
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
