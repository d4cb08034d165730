import { expect } from "vitest";
import { openEngine, type Engine, type EngineOptions } from "../../src/index.ts";
import { runOn } from "./duckdb.ts";
import { scratchPath } from "./scratch.ts";

/** What makes a file of format 13 of one of format 15, but for the number. */
export const TO_FORMAT_13 = [
  "DROP INDEX trials_by_version_key",
  "ALTER TABLE trials DROP COLUMN span_refs",
  "ALTER TABLE trials DROP COLUMN own_span_refs",
  "ALTER TABLE trials DROP COLUMN version_key",
] as const;

interface Loaded {
  readonly inputs?: { readonly self?: unknown; readonly model?: unknown } | null;
  readonly op_name: string;
  readonly output?: unknown;
  readonly started_at: string;
  readonly ended_at?: string | null;
  readonly summary?: { readonly usage?: Readonly<Record<string, { total_tokens?: unknown } | null>> };
}

function tokens(record: Loaded): number | null {
  const usage = Object.values(record.summary?.usage ?? {});
  const counts = usage.flatMap((model) =>
    typeof model?.total_tokens === "number" ? [model.total_tokens] : [],
  );
  return counts.length === 0 ? null : counts.reduce((a, b) => a + b);
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

const literal = (value: number | null) => (value === null ? "NULL" : `'${value}'::DOUBLE`);

/** What makes of a trial what a file of format 8 has for it, given its record and that of its predict call. */
function older(key: number, own: Loaded, predict: Loaded | null): string[] {
  const { self, model } = { self: predict?.inputs?.self, model: own.inputs?.model ?? undefined };
  const name = predict?.op_name
    .replace(/^[a-z]+:\/\/\/[^/]+\/[^/]+\/op\/([^/:]+):[^/]+$/i, "$1")
    .toLowerCase();
  const sameModel = model !== undefined && JSON.stringify(self) === JSON.stringify(model);
  const known = name === undefined || sameModel || /predict|invoke/.test(name) ? predict : null;
  const latency = member(member(own.output, "model_latency"), "mean");
  const mean = typeof latency === "number" && Number.isFinite(latency) ? latency : null;
  const ended = known?.ended_at ?? null;
  const set = [
    `own_latency_seconds = ${literal(mean)}`,
    ...(ended === null ? [`latency_seconds = ${literal(mean)}`] : []),
    `own_total_tokens = ${literal(tokens(own))}`,
    `total_tokens = ${literal(tokens(known ?? own))}`,
    ...(known === null ? ["predict_call_id = NULL"] : []),
  ];
  return [
    `UPDATE trials SET ${set.join()} WHERE trial_key = ${key}`,
    ...(known === null ? [`DELETE FROM errored_trials WHERE NOT own AND trial_key = ${key}`] : []),
  ];
}

function parsed(record: unknown): Loaded {
  return JSON.parse(String(record)) as Loaded;
}

const TRIALS = `SELECT t.trial_key, c.record, p.record FROM trials AS t JOIN calls AS c ON c.call_key = t.trial_key
  LEFT JOIN calls AS p ON p.id = t.predict_call_id AND p.project_key = c.project_key AND p.parent_hash = c.id_hash`;

/** Makes a file of format 8 of one that was loaded; tells how many trials it had otherwise. */
async function makeOlder(file: string, indexed: boolean): Promise<number> {
  const found = await runOn(file, TRIALS);
  const before = await runOn(file, "SELECT count(predict_call_id) + count(own_latency_seconds) FROM trials");
  const statements = found.flatMap(([key, own, predict]) =>
    older(Number(key), parsed(own), typeof predict === "string" ? parsed(predict) : null),
  );
  const indexes = ["calls_by_key ON calls (call_key)", "trials_by_row ON trials (row_key)"];
  await runOn(file, ...TO_FORMAT_13);
  await runOn(
    file,
    "BEGIN",
    ...indexes.map((index) => `DROP INDEX IF EXISTS ${index.split(" ")[0]}`),
    ...statements,
    ...["op_name", "started_at", "ended_at", "exception"].map(
      (name) => `ALTER TABLE calls DROP COLUMN ${name}`,
    ),
    "COMMIT",
    ...(indexed ? indexes.map((index) => `CREATE INDEX ${index}`) : []),
    "UPDATE evalcube_format SET version = 8",
  );
  const after = await runOn(file, "SELECT count(predict_call_id) + count(own_latency_seconds) FROM trials");
  return Number(before[0]?.[0]) - Number(after[0]?.[0]);
}

/** Every table with all that is in it, but for the keys of versions, which no one has to keep. */
async function contents(file: string): Promise<Record<string, unknown[][]>> {
  const tables = await runOn(file, "SELECT table_name FROM duckdb_tables() WHERE NOT internal ORDER BY ALL");
  const found: Record<string, unknown[][]> = {};
  for (const [table] of tables)
    found[String(table)] = await runOn(
      file,
      `SELECT COLUMNS(c -> c <> 'version_key') FROM "${String(table)}" ORDER BY ALL`,
    );
  return found;
}

async function answers(file: string, projects: readonly string[]): Promise<string[]> {
  const engine = await openEngine({ path: file, threads: 1, readOnly: true });
  const found = [];
  for (const project of projects)
    for (const include_predict_and_score_children of [true, false])
      found.push(
        await engine.queryEvalResultsJson(project, {
          evaluation_call_ids: ["e", "e1", "e2", "e3"],
          include_summary: true,
          include_predict_and_score_children,
        }),
      );
  await engine.close();
  return found;
}

/**
 * Expects of a file with what is loaded, made into one of format 8 and opened again, that it is what it was. Resolves
 * to how many trials the older file had otherwise.
 */
export async function migrated(
  projects: readonly string[],
  load: (engine: Engine) => Promise<unknown>,
  options: EngineOptions & { readonly indexed?: boolean } = {},
): Promise<number> {
  const { indexed = true, ...others } = options;
  const file = scratchPath();
  const engine = await openEngine({ path: file, threads: 1, ...others });
  await load(engine);
  await engine.close();
  const loaded = { tables: await contents(file), answers: await answers(file, projects) };
  const changed = await makeOlder(file, indexed);
  await (await openEngine({ path: file, threads: 1 })).close();
  expect({ tables: await contents(file), answers: await answers(file, projects) }).toEqual(loaded);
  return changed;
}
