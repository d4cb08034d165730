import * as arrow from "apache-arrow";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { IngestSource } from "../../src/index.ts";
import { EVALUATION, stream } from "../support/records.ts";
import { scratchEngine } from "../support/scratch.ts";
import { answers, exportCalls } from "./answers.ts";
import { kinds, structs, type Kind, type Value } from "./arbitrary-columns.ts";
import { field, tableOf, UTF8 } from "./table.ts";

const SEED = Number(process.env["SEED"] ?? 505);
const SCENARIOS = Number(process.env["SCENARIOS"] ?? 60);

/** How a table may reach the engine. */
const FORMS: Readonly<Record<string, (table: arrow.Table) => IngestSource>> = {
  table: (table) => table,
  slices: (table) => [table.slice(0, 1), table.slice(1, 1), table.slice(1)].flatMap((part) => part.batches),
  stream: (table) => arrow.tableToIPC(table, "stream"),
  file: (table) => arrow.tableToIPC(table, "file"),
};

interface Payloads {
  readonly example: Kind;
  readonly output: Kind;
  readonly scores: Kind;
}

interface Scenario {
  readonly payloads: Payloads;
  readonly form: string;
  readonly exported: "parquet" | "arrow" | "table";
  /** Dataset row, output and scores of each trial. */
  readonly trials: readonly (readonly [Value, Value, Value])[];
}

const scenarios: fc.Arbitrary<Scenario> = fc
  .record({ example: kinds(2), output: structs(kinds(1)), scores: structs(kinds(1)) })
  .chain((payloads) =>
    fc.record({
      payloads: fc.constant(payloads),
      form: fc.constantFrom(...Object.keys(FORMS)),
      exported: fc.constantFrom("parquet", "arrow", "table"),
      trials: fc.array(fc.tuple(payloads.example.values, payloads.output.values, payloads.scores.values), {
        minLength: 1,
        maxLength: 5,
      }),
    }),
  );

const fixed = (project: string) => ({
  project_id: project,
  op_name: "Evaluation.predict_and_score",
  parent_id: EVALUATION,
  started_at: "2026-01-01T00:00:00Z",
});

function tableFor({ payloads, trials }: Scenario, project: string): arrow.Table {
  const repeated = Object.entries(fixed(project)).map(
    ([name, value]) => [name, [UTF8, trials.map(() => value)]] as const,
  );
  const { example, output, scores } = payloads;
  return tableOf({
    id: [UTF8, trials.map((_, i) => `t${i}`)],
    ...Object.fromEntries(repeated),
    inputs: [
      new arrow.Struct([field("example", example.type)]),
      trials.map(([value]) => ({ example: value.arrow })),
    ],
    output: [
      new arrow.Struct([field("output", output.type), field("scores", scores.type)]),
      trials.map(([, value, score]) => ({ output: value.arrow, scores: score.arrow })),
    ],
  });
}

function linesFor({ trials }: Scenario, project: string): string[] {
  const members = JSON.stringify(fixed(project)).slice(1, -1);
  return trials.map(
    ([example, output, scores], i) =>
      `{"id":"t${i}",${members},"inputs":{"example":${example.json}},"output":{"output":${output.json},"scores":${scores.json}}}\n`,
  );
}

it(
  `calls -> Arrow -> ingest -> export -> ingest gives the same bytes for random schemas (SEED=${SEED})`,
  { timeout: 120_000 },
  async () => {
    const direct = await scratchEngine();
    const columns = await scratchEngine();
    const again = await scratchEngine();
    let compared = 0;
    for (const [i, scenario] of fc.sample(scenarios, { seed: SEED, numRuns: SCENARIOS }).entries()) {
      const project = `acme/scenario-${i}`;
      const table = tableFor(scenario, project);
      const place = `${project} as ${scenario.form}: ${table.schema.toString()}`;
      await direct.ingestCalls(stream(linesFor(scenario, project)));
      await columns.ingestCalls(FORMS[scenario.form]?.(table) ?? table);
      await again.ingestCalls(await exportCalls(columns, project, scenario.exported));
      const expected = await answers(direct, project);
      expect(await answers(columns, project), place).toEqual(expected);
      expect(await answers(again, project), `exported, ${place}`).toEqual(expected);
      compared++;
    }
    expect(compared).toBe(SCENARIOS);
  },
);
