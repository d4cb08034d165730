import type { VNode } from "preact";
import type { Answers } from "../../model/answers.ts";
import { runsOf, type Run } from "../../model/runs.ts";
import { countText, NOTHING } from "../../../words/figures.ts";
import { Facts } from "../facts.tsx";
import { Name } from "../name.tsx";
import { Section } from "../section.tsx";
import { figures, names, Table, type Column } from "../table.tsx";

const COLUMNS: readonly Column<Run>[] = [
  names(({ name }) => name),
  { head: "Model", kind: "fact", cell: ({ model }) => <Name {...model} /> },
  { head: "Started", kind: "fact", cell: ({ started }) => started },
  { head: "Duration", kind: "fact", cell: ({ duration }) => duration },
  { head: "Dataset", kind: "fact", cell: ({ dataset }) => <Name {...dataset} /> },
  { head: "Commit", kind: "fact", cell: ({ commit }) => <Name {...commit} /> },
  { head: "Branch", kind: "fact", cell: ({ branch }) => <Name text={branch} /> },
  figures(({ trials }) => countText(trials), "Trials"),
  figures(({ errors }) => countText(errors), "Errors"),
];

const USER: Column<Run> = { head: "User", kind: "fact", cell: ({ user }) => <Name text={user ?? NOTHING} /> };

/** When and of what each evaluation was made, in the order in which they began. */
export function RunsPart({ answers }: { readonly answers: Answers }): VNode | null {
  const runs = runsOf(answers);
  if (runs.length === 0) return null;
  const users = runs.some(({ user }) => user !== null) ? [USER] : [];
  const costs = runs.some(({ cost }) => cost !== null)
    ? [figures(({ cost }: Run) => cost ?? NOTHING, "Cost")]
    : [];
  return (
    <Section kind="runs" title="Runs">
      <Table label="Runs" columns={[...COLUMNS, ...users, ...costs]} lines={runs} />
      <Details runs={runs} />
    </Section>
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
          <Facts facts={facts.map(([member, value]) => [<Name text={member} />, <Name text={value} />])} />
        </section>
      ))}
    </details>
  );
}
