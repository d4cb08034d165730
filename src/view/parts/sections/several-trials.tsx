import type { VNode } from "preact";
import { trialsCurves, type TrialsCurve } from "../../model/trials.ts";
import type { Shown } from "../../model/shown.ts";
import { TrialsPlot } from "../../plots/trials-plot.tsx";
import { countText, intervalText, meanText } from "../../words/figures.ts";
import { Name } from "../name.tsx";
import { Prose, Section, Wide } from "../section.tsx";

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
      <TrialsTable curves={curves} />
    </Section>
  );
}

/** The table has them all. */
const MOST_PICTURES = 24;

function TrialsTable({ curves }: { readonly curves: readonly TrialsCurve[] }): VNode {
  return (
    <Wide label="Several trials">
      <table aria-label="Several trials">
        <thead>
          <tr>
            <th scope="col">Evaluation</th>
            {["k", "pass@k", "95% interval", "pass^k", "95% interval", "Rows"].map((text, i) => (
              <th key={i} scope="col" class="figure">
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{curves.map(linesOf)}</tbody>
      </table>
    </Wide>
  );
}

function linesOf({ one, points }: TrialsCurve): VNode[] {
  return points.map(({ k, some, someInterval, all, allInterval, rows }) => (
    <tr key={`${one.name.id} ${k}`}>
      <th scope="row" class="name">
        <Name {...one.name} />
      </th>
      <td class="figure">{countText(k)}</td>
      <td class="figure strong">{meanText(some, "binary")}</td>
      <td class="figure">{intervalText(someInterval, "binary")}</td>
      <td class="figure strong">{meanText(all, "binary")}</td>
      <td class="figure">{intervalText(allInterval, "binary")}</td>
      <td class="figure">{countText(rows)}</td>
    </tr>
  ));
}
