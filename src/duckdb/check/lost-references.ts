import type { Session } from "../../store/session.ts";
import { identifier, join, sql } from "../../store/sql.ts";
import { countOf, type Problem } from "../../store/check-result.ts";

/** Columns that refer to a record of another table, by the name of the column there. */
const REFERENCES: readonly {
  readonly from: string;
  readonly to: string;
  readonly columns: readonly (readonly [from: string, to: string])[];
}[] = [
  { from: "calls", to: "projects", columns: [["project_key", "project_key"]] },
  { from: "evaluations", to: "projects", columns: [["project_key", "project_key"]] },
  { from: "rows", to: "projects", columns: [["project_key", "project_key"]] },
  { from: "score_paths", to: "projects", columns: [["project_key", "project_key"]] },
  { from: "trials", to: "calls", columns: [["trial_key", "call_key"]] },
  { from: "trials", to: "evaluations", columns: [["evaluation_key", "evaluation_key"]] },
  { from: "trials", to: "rows", columns: [["row_key", "row_key"]] },
  ...["scores", "null_scores", "errored_trials"].map((from) => ({
    from,
    to: "trials",
    columns: ["trial_key", "evaluation_key", "row_key"].map((name) => [name, name] as const),
  })),
  { from: "scores", to: "score_paths", columns: [["path_key", "path_key"]] },
  { from: "null_scores", to: "score_paths", columns: [["path_key", "path_key"]] },
  { from: "training_events", to: "training_jobs", columns: [["job_id", "id"]] },
  { from: "trajectories", to: "training_jobs", columns: [["job_id", "id"]] },
];

export async function lostReferences(session: Session): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const { from, to, columns } of REFERENCES) {
    const same = columns.map(([a, b]) => sql`f.${identifier(a)} = t.${identifier(b)}`);
    const key = join(columns.map(([name]) => sql`f.${identifier(name)}`));
    const [found] = await session.rows(sql`SELECT count(*), min(concat_ws(', ', ${key}))
      FROM ${identifier(from)} AS f ANTI JOIN ${identifier(to)} AS t ON ${join(same, sql` AND `)}`);
    const [records, example] = found ?? [];
    if (Number(records) === 0) continue;
    const names = columns.map(([name]) => name).join(", ");
    problems.push({
      kind: "lost_reference",
      table: from,
      records: Number(records),
      message: `${from}: ${countOf(Number(records))} without one in ${to}, such as (${names}) ${String(example)}`,
    });
  }
  return problems;
}
