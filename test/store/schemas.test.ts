import { DuckDBInstance } from "@duckdb/node-api";
import { beforeAll, describe, expect, it } from "vitest";
import { recordRelations } from "../../src/clickhouse/dialect/record-relations.ts";
import { preamble, type Subject, wordsOf } from "../../src/clickhouse/dialect/relations.ts";
import { columnsOf } from "../../src/clickhouse/insert/tables.ts";
import { PLAIN } from "../../src/copy/copy-records.ts";
import { VERSION_COLUMNS } from "../../src/copy/copy-weave.ts";
import { KEYS, REFERENCES } from "../../src/duckdb/check/check-database.ts";
import { rootColumns } from "../../src/ingest/write/evaluations.ts";
import { columnsOfScores, nullColumns, pathColumns } from "../../src/ingest/write/score-columns.ts";
import { noScoreValues } from "../../src/ingest/write/score-values.ts";
import { stepColumns } from "../../src/ingest/write/step-columns.ts";
import { errorColumns, trialColumns } from "../../src/ingest/write/trial-columns.ts";
import { createTurnTaker } from "../../src/model/turns.ts";
import { readMigrations } from "../../src/store/migrations.ts";
import type { SqlType } from "../../src/store/sql.ts";

/*
 * The two schemas are the truth about tables. What repeats their columns is compared with them here: a column that one
 * of these places lacks is missing in an answer, a copy or a check without a word.
 */

interface Column {
  readonly type: string;
  readonly isNullable: boolean;
}

/** The columns of a table by name, as DuckDB has them. */
type Columns = ReadonlyMap<string, Column>;

const tables = new Map<string, Map<string, Column>>();

beforeAll(async () => {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  for (const { text } of readMigrations("sql/duckdb/migrations")) await connection.run(text);
  const read = await connection.runAndReadAll(
    `SELECT c.table_name, c.column_name, c.data_type, c.is_nullable
     FROM duckdb_columns() AS c JOIN duckdb_tables() AS t USING (table_oid) ORDER BY c.table_oid, c.column_index`,
  );
  for (const [table, name, type, isNullable] of read.getRows()) {
    const columns = tables.get(String(table)) ?? new Map<string, Column>();
    tables.set(
      String(table),
      columns.set(String(name), { type: String(type), isNullable: isNullable === true }),
    );
  }
  connection.closeSync();
  instance.closeSync();
});

function duckDBColumns(table: string): Columns {
  const columns = tables.get(table);
  if (columns === undefined) throw new Error(`the schema of DuckDB has no table ${table}`);
  return columns;
}

/** A table of DuckDB in ClickHouse: the names of its tables there, and the columns that only one of both has. */
interface Counterpart {
  readonly there: readonly string[];
  readonly onlyDuckDB?: readonly string[];
  readonly onlyClickHouse?: readonly string[];
  /** Columns with another name there. */
  readonly renamed?: Readonly<Record<string, string>>;
  /** Columns that are null here alone: what is written there says so otherwise. */
  readonly neverNull?: readonly string[];
}

const LOAD = ["load"];
const RECORDED = ["batch"];

const COUNTERPARTS: Readonly<Record<string, Counterpart>> = {
  projects: { there: ["projects"], onlyClickHouse: LOAD },
  evaluations: { there: ["evaluations"], onlyClickHouse: [...LOAD, "first_load", "first_position"] },
  call_steps: {
    there: ["call_steps"],
    onlyClickHouse: [
      ...LOAD,
      "project_key",
      "parent_key",
      "position",
      "began",
      "hidden",
      "id",
      "parent_id",
      "started_at",
      "ended_at",
    ],
  },
  trials: {
    there: ["trials", "trial_texts"],
    onlyDuckDB: ["text_bytes", "version_key"],
    onlyClickHouse: [
      ...LOAD,
      "project_key",
      "first_load",
      "first_position",
      "output_doc",
      "late_scores_doc",
      "example_doc",
    ],
  },
  score_paths: { there: ["score_paths"], onlyClickHouse: [...LOAD, "position"] },
  scores: { there: ["scores"], onlyClickHouse: [...LOAD, "project_key"], neverNull: ["number", "text"] },
  null_scores: { there: ["null_scores"], onlyClickHouse: [...LOAD, "project_key"] },
  errored_trials: { there: ["errored_trials"], onlyClickHouse: [...LOAD, "project_key"] },
  rows: {
    there: ["rows", "row_digests"],
    onlyDuckDB: ["digest_hash", "text_bytes"],
    onlyClickHouse: [...LOAD, "position", "value_doc", "inline_doc"],
    renamed: { val: "value" },
  },
  feedback: { there: ["feedback"], onlyClickHouse: [...RECORDED, "content_doc"] },
  model_prices: { there: ["model_prices"], onlyClickHouse: RECORDED },
  training_jobs: { there: ["training_jobs"], onlyClickHouse: [...RECORDED, "keyed"] },
  training_idempotency: { there: ["training_idempotency"], onlyClickHouse: RECORDED },
  trajectories: { there: ["trajectories"], onlyClickHouse: RECORDED },
  training_models: { there: ["training_models"], onlyClickHouse: RECORDED },
  checkpoints: { there: ["checkpoints"], onlyClickHouse: RECORDED },
  training_events: { there: ["training_events"], onlyDuckDB: ["number"], onlyClickHouse: RECORDED },
  usage: { there: ["usage"], onlyClickHouse: RECORDED },
  object_versions: {
    there: ["object_versions"],
    onlyDuckDB: ["version_index", "latest_number"],
    onlyClickHouse: RECORDED,
  },
  row_tables: { there: ["row_tables"], onlyClickHouse: RECORDED },
  row_spellings: { there: ["row_spellings"], onlyClickHouse: RECORDED },
  stored_files: { there: ["stored_files"], onlyClickHouse: RECORDED },
};

/** Tables that ClickHouse keeps in another way: calls as fragments, and what only a file needs. */
const OF_FILES = [
  "calls",
  "named_calls",
  "conventions",
  "left_records",
  "hash_layers",
  "hash_coverage",
  "moved_parents",
  "pieces",
  "text_mark",
  "unread_calls",
  "writes",
];

const NAMES = Object.keys(COUNTERPARTS);

function without(names: Iterable<string>, left: readonly string[] = []): string[] {
  return [...names].filter((name) => !left.includes(name)).toSorted();
}

/** The columns of DuckDB's table as they are called in ClickHouse, and what type each may have there. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  INTEGER: ["UInt64", "UInt32", "Int32"],
  BIGINT: ["Int64"],
  UTINYINT: ["UInt8"],
  UBIGINT: ["UInt64"],
  DOUBLE: ["Float64"],
  BOOLEAN: ["Bool"],
  VARCHAR: ["String"],
  "VARCHAR[]": ["String"],
  BLOB: ["String"],
};

describe("the two schemas", () => {
  it("have the same tables, but for what only files need", () => {
    expect([...tables.keys()].toSorted()).toEqual([...NAMES, ...OF_FILES].toSorted());
  });

  it.each(Object.entries(COUNTERPARTS))("have the same columns of %s, of the same types", (name, one) => {
    const here = duckDBColumns(name);
    const there = new Map(
      one.there.flatMap((table) => columnsOf(table).map((column) => [column.name, column.type])),
    );
    const called = (column: string) => one.renamed?.[column] ?? column;
    expect(without(there.keys(), one.onlyClickHouse)).toEqual(
      without(here.keys(), one.onlyDuckDB).map(called).toSorted(),
    );
    for (const [column, { type, isNullable }] of here) {
      if (one.onlyDuckDB?.includes(column) === true) continue;
      const found = there.get(called(column)) ?? "";
      const inner = /^Nullable\((.*)\)$/.exec(found)?.[1];
      expect(TYPES[type], `${column} is ${type} and ${found}`).toContain(inner ?? found);
      const isNull = isNullable && one.neverNull?.includes(column) !== true;
      expect(inner !== undefined, `${column} may be null`).toBe(isNull);
    }
  });
});

/** Columns that a load computes in the statement that stores them. */
const COMPUTED: Readonly<Record<string, readonly string[]>> = {
  trials: ["version_key"],
};

describe("what loads write", () => {
  it("is every column of the narrow tables, with its type", async () => {
    const written: Readonly<Record<string, readonly { readonly name: string; readonly type: SqlType }[]>> = {
      evaluations: rootColumns({ evaluations: new Map() }, [], new Map()),
      trials: trialColumns([]),
      errored_trials: errorColumns([]),
      scores: await columnsOfScores(noScoreValues(), createTurnTaker()),
      null_scores: nullColumns([]),
      score_paths: pathColumns([]),
      call_steps: stepColumns([]),
    };
    for (const [table, columns] of Object.entries(written)) {
      const computed = COMPUTED[table] ?? [];
      const schema = Array.from(duckDBColumns(table), ([name, { type }]) => [name, type] as const);
      expect(Object.fromEntries(columns.map(({ name, type }) => [name, type])), table).toEqual(
        Object.fromEntries(schema.filter(([name]) => !computed.includes(name))),
      );
    }
  });
});

const SUBJECT: Subject = {
  schema: "stored",
  projectKey: null,
  evaluations: new Map(),
  paths: [],
  hasEnded: false,
  visible: { upTo: 1n, commit: 0n, loads: [] },
  spread: null,
};

/** What statements on ClickHouse do not ask for: what `keyed` and the numbers of events say comes from elsewhere. */
const UNREAD: Readonly<Record<string, readonly string[]>> = {
  trials: ["text_bytes", "version_key"],
  rows: ["text_bytes"],
};

describe("the relations of ClickHouse", () => {
  it.each(NAMES)("have every column of %s", (table) => {
    const columns = without(duckDBColumns(table).keys(), UNREAD[table]);
    const asked = [table, ...columns].join(" ");
    const [[, beside] = []] = recordRelations(table, "stored", false);
    const text = beside ?? preamble(asked, SUBJECT).find((one) => one.startsWith(`${table} AS`)) ?? "";
    const takesAll = /SELECT \*(?!,? ?EXCEPT| REPLACE)/.test(text);
    const stored = takesAll ? columnsOf(table).map(({ name }) => name) : [];
    const named = new Set([...wordsOf(text), ...stored]);
    expect(columns.filter((column) => !named.has(column))).toEqual([]);
  });
});

/** What the database counts itself when a record is written. */
const COUNTED = ["version_index", "latest_number"];

describe("a copy", () => {
  const copied: Readonly<Record<string, readonly string[]>> = {
    ...Object.fromEntries(
      PLAIN.map(({ table, keys, others }) => [table, Object.keys({ ...keys, ...others })]),
    ),
    object_versions: ["project_id", "object_id", ...VERSION_COLUMNS],
    row_tables: ["project_id", "digest", "created_at", "row_digests"],
    stored_files: ["project_id", "digest", "created_at", "bytes"],
  };

  it.each(Object.entries(copied))("has every column of %s", (table, columns) => {
    expect(without(columns, ["keyed"])).toEqual(without(duckDBColumns(table).keys(), COUNTED));
  });

  it("has every table that no load fills: what loads fill, they fill again", () => {
    const loaded = NAMES.filter((name) => COUNTERPARTS[name]?.onlyClickHouse?.includes("load") === true);
    expect(Object.keys(copied).toSorted()).toEqual(without(NAMES, loaded));
  });
});

/** Tables with one record, without an identity, or whose identity is not checked. */
const WITHOUT_IDENTITY = [
  "conventions",
  "left_records",
  "hash_layers",
  "hash_coverage",
  "moved_parents",
  "named_calls",
  "pieces",
  "text_mark",
  "unread_calls",
  "writes",
  "usage",
  "object_versions",
  "row_tables",
  "row_spellings",
  "stored_files",
];

/** Keys that need not be there: they may be null, or name what comes later. */
const LOOSE: ReadonlySet<string> = new Set([
  "trials.content_key",
  "named_calls.call_key",
  "unread_calls.to_key",
  "hash_coverage.to_key",
]);

describe("evalcube check", () => {
  it("knows what identifies a record of each table", () => {
    const known = new Set(KEYS.map(([table]) => table));
    expect(without(tables.keys(), WITHOUT_IDENTITY)).toEqual([...known].toSorted());
  });

  it("follows every key to its table, and names columns that there are", () => {
    const own = new Set(KEYS.filter(([, ...columns]) => columns.length === 1).map((one) => one.join(".")));
    const followed = new Set(
      REFERENCES.flatMap(({ from, columns }) => columns.map(([column]) => `${from}.${column}`)),
    );
    const keys = [...tables].flatMap(([table, columns]) =>
      without(columns.keys())
        .filter((name) => name.endsWith("_key") && columns.get(name)?.type === "INTEGER")
        .map((name) => `${table}.${name}`),
    );
    expect(keys.filter((key) => !own.has(key) && !followed.has(key) && !LOOSE.has(key))).toEqual([]);
    const named = [
      ...KEYS.flatMap(([table, ...columns]) => columns.map((column) => [table, column] as const)),
      ...REFERENCES.flatMap(({ from, to, columns }) =>
        columns.flatMap(([a, b]) => [[from, a] as const, [to, b] as const]),
      ),
    ];
    expect(named.filter(([table, column]) => !duckDBColumns(table).has(column))).toEqual([]);
  });
});
