import type { ComponentChildren, VNode } from "preact";
import type { Answers } from "../../answers.ts";
import { runsOf, type Run } from "../../model/runs.ts";
import { countText } from "../../words/figures.ts";
import { Name } from "../name.tsx";
import { Section, Wide } from "../section.tsx";

const COLUMNS: readonly { readonly head: string; readonly cell: (run: Run) => ComponentChildren }[] = [
  { head: "Model", cell: ({ model }) => <Name text={model.text} full={model.full} /> },
  { head: "Started", cell: ({ started }) => started },
  { head: "Duration", cell: ({ duration }) => duration },
  { head: "Dataset", cell: ({ dataset }) => <Name text={dataset.text} full={dataset.full} /> },
  { head: "Commit", cell: ({ commit }) => <Name text={commit.text} full={commit.full} /> },
  { head: "Branch", cell: ({ branch }) => <Name text={branch} /> },
];

/** When and of what each evaluation was made, in the order in which they began. */
export function RunsPart({ answers }: { readonly answers: Answers }): VNode | null {
  const runs = runsOf(answers);
  if (runs.length === 0) return null;
  const withCost = runs.some(({ cost }) => cost !== null);
  const figures = ["Trials", "Errors", ...(withCost ? ["Cost"] : [])];
  return (
    <Section kind="runs" title="Runs">
      <Wide label="Runs">
        <table aria-label="Runs">
          <thead>
            <tr>
              {["Evaluation", ...COLUMNS.map(({ head }) => head)].map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
              {figures.map((head) => (
                <th key={head} scope="col" class="figure">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {runs.map((run) => (
              <Line key={run.name.id} run={run} withCost={withCost} />
            ))}
          </tbody>
        </table>
      </Wide>
      <Details runs={runs} />
    </Section>
  );
}

function Line({ run, withCost }: { readonly run: Run; readonly withCost: boolean }): VNode {
  const figures = [countText(run.trials), countText(run.errors), ...(withCost ? [run.cost ?? "–"] : [])];
  return (
    <tr>
      <th scope="row" class="name">
        <Name {...run.name} />
      </th>
      {COLUMNS.map(({ head, cell }) => (
        <td key={head} class="fact">
          {cell(run)}
        </td>
      ))}
      {figures.map((text, i) => (
        <td key={i} class="figure">
          {text}
        </td>
      ))}
    </tr>
  );
}

/** The whole of what the table shortens, and what costs were made of. */
function Details({ runs }: { readonly runs: readonly Run[] }): VNode {
  return (
    <details>
      <summary>Details of each run</summary>
      {runs.map(({ name, facts }) => (
        <section key={name.id} aria-label={name.text}>
          <h3>
            <Name {...name} />
          </h3>
          <dl class="facts">
            {facts.map(([member, value]) => (
              <>
                <dt key={member}>
                  <Name text={member} />
                </dt>
                <dd>
                  <Name text={value} />
                </dd>
              </>
            ))}
          </dl>
        </section>
      ))}
    </details>
  );
}
