import type { Key } from "../../model/digest.ts";
import { textScans } from "../../texts/whole-texts.ts";
import {
  bounds,
  constant,
  type Dialect,
  EMPTY,
  join,
  type RecordPage,
  sql,
  type Sql,
  text,
} from "../../store/sql.ts";
import { bind, exactSum } from "./exact-sum.ts";

/** A join that looks for at most so many places of a table reads only what lies around each of them. */
export const MOST_PLACES = 500;

/** So many trials are read as fast as they are looked up. */
const FEW_TRIALS = 100_000;

/**
 * A key that no row has is added to `selected`: DuckDB joins by array instead of by hash where the keys of one side are
 * dense, but not where no key between the first and the last is missing.
 */
const SELECTED = sql`(FROM selected UNION ALL SELECT -1)`;

/** What texts and JSON are written with, from common to rare. Whatever else there is counts as rarer. */
const COMMON = ` eta"oinsrhl,dcu:mf.pgwyb0v1k2xj3qz`;

/** So many characters of a part are compared by how common they are. */
const MOST_RANKED = 200;

/**
 * Whether a document has this part. DuckDB looks for the first letter of what it is to find, and compares at each place
 * that has it. So what follows from the rarest letter on is looked for first, at fewer places.
 */
function holds(document: Sql, part: string): Sql {
  const letters = Array.from(part.slice(0, MOST_RANKED));
  const ranks = letters.map((letter) => COMMON.indexOf(letter));
  const rarest = ranks.includes(-1) ? -1 : Math.max(...ranks);
  const rest = part.slice(letters.slice(0, ranks.indexOf(rarest)).join("").length);
  const whole = sql`contains(${document}, ${text(part)})`;
  return rest === part ? whole : sql`(contains(${document}, ${text(rest)}) AND ${whole})`;
}

/**
 * Not with `nullif`: DuckDB computes an expression that a statement has twice for every record, in spite of the CASE
 * around it.
 */
const jsonText = (json: Sql) =>
  sql`list_filter([CAST(${json} AS VARCHAR)], lambda spelled: spelled <> 'null')[1]`;

/** The model output of the trial `t` as text, null for a JSON null. */
const MODEL_OUTPUT_TEXT = jsonText(sql`model_output(t.output, '')`);

/** How a stub of a long text begins. */
const STUB = sql`(SELECT '"' || mark FROM text_mark)`;

/** What follows that in an output. */
const BEHIND = sql`split_part(t.output, ${STUB}, 2)`;

/** A number of the stub in an output or a document: 3 for the bytes of its text, 4 for the key. */
function stubPart(document: Sql, part: 3 | 4): Sql {
  return sql`TRY_CAST(split_part(split_part(${document}, ${STUB}, 2), ':', ${constant(part)}) AS BIGINT)`;
}

function isOutput(output: Sql): Sql {
  return sql`ends_with(split_part(${output}, ${STUB}, 1), '"output":')`;
}

/** (text_key, txt): these long texts. */
function textsOf(keys: readonly number[]): Sql {
  return sql`SELECT text_key, string_agg(txt, '' ORDER BY piece) AS txt FROM ${textScans(keys)} GROUP BY text_key`;
}

export const DUCKDB: Dialect = {
  parameter: (number) => `$${number}`,
  loaded: (name) => ({ parts: [`loaded('${name}')`], holes: [] }),
  roundToInteger: (number) => sql`CAST(${number} AS BIGINT)`,
  wideSum: (integer) => sql`sum(${integer})`,
  wide: (integer) => sql`${integer}::HUGEINT`,
  divideIntegers: (dividend, divisor) => sql`${dividend} // ${divisor}`,
  exactSum,
  highBits: (integer, bits) => sql`${integer} >> ${constant(bits)}`,
  lowBits: (integer, bits) => sql`(${integer} & ${lowMask(bits)})`,
  bind,
  record: (members) => sql`struct_pack(${join(members.map(({ name, value }) => sql`${name} := ${value}`))})`,
  relationOf: (name, columns, records) =>
    sql`${name}(${join(columns)}) AS (VALUES ${join(records.map((values) => sql`(${join(values)})`))})`,
  columnsOf: (relation) => sql`${relation}.*`,
  amongKeys,
  manyTrials: sql`(SELECT count(*) FROM trials) > ${constant(FEW_TRIALS)}`,
  longTexts: sql`EXISTS (FROM pieces)`,
  isStub: (document) => sql`starts_with(${document}, ${STUB})`,
  textKey: (document) => stubPart(document, 4),
  isOutput,
  textBytes: (document) => stubPart(document, 3),
  trialsWith: (
    condition,
    textKeys,
  ) => sql`(SELECT t.* EXCLUDE (output), coalesce(split_part(t.output, ${STUB}, 1) || x.txt
      || substr(${BEHIND}, strpos(${BEHIND}, '"') + 1), t.output) AS output, x.txt AS model_text,
      ${isOutput(sql`t.output`)} AS is_output
    FROM trials AS t LEFT JOIN (${textsOf(textKeys)}) AS x ON x.text_key = ${stubPart(sql`t.output`, 4)}
    WHERE ${condition})`,
  textsOf,
  documentsWith: (
    documents,
    textKeys,
  ) => sql`SELECT d.row_key, d.digest, coalesce(x.txt, d.document) AS document
    FROM (${documents}) AS d LEFT JOIN (${textsOf(textKeys)}) AS x ON x.text_key = ${stubPart(sql`d.document`, 4)}`,
  readingsOf: (
    keys,
    numbers,
    texts,
  ) => sql`(SELECT unnest(from_json(${text(keys)}, '["INTEGER"]')) AS trial_key,
      unnest(from_json(${text(numbers)}, '["DOUBLE"]')) AS number,
      unnest(from_json(${text(texts)}, '["VARCHAR"]')) AS text)`,
  ofFew,
  trialTokens: sql`(SELECT evaluation_key, row_key, total_tokens AS tokens, own_total_tokens AS own_tokens FROM trials)`,
  callHash: ({ projectKey }, id) => sql`md5_number_lower(concat(${constant(projectKey)}, ':', ${id}))`,
  callTree: sql`(SELECT *, rowid, id_hash AS hash FROM calls WHERE NOT hidden AND started_at IS NOT NULL)`,
  noRowKey: sql`NULL::INTEGER`,
  selected: SELECTED,
  countEvaluations,
  filtered: (aggregate, condition) => sql`${aggregate} FILTER (${condition})`,
  firstBy: (value, order, condition) => {
    const first = sql`first(${value} ORDER BY ${order})`;
    return condition === undefined ? first : sql`${first} FILTER (${condition})`;
  },
  lastBy: (value, order) => sql`arg_max(${value}, (${order}))`,
  every: (condition) => sql`bool_and(${condition})`,
  some: (condition) => sql`bool_or(${condition})`,
  small: (integer) => sql`${integer}::UTINYINT`,
  jsonColumns: (column) => column(EMPTY),
  jsonText,
  jsonAt: (document, pointer) => sql`json_extract(${document}, ${text(pointer)})`,
  amountAt: (document, pointer) => {
    const number = sql`TRY_CAST(json_extract(${document}, ${text(pointer)}) AS DOUBLE)`;
    const type = sql`json_type(${document}, ${text(pointer)})`;
    return sql`(CASE WHEN ${type} IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND ${number} >= 0 AND isfinite(${number}) THEN ${number} END)`;
  },
  memberNames: (documents) =>
    sql`list_distinct(list_concat(${join(
      documents.map(
        (document) => sql`
      CASE WHEN json_type(${document}) = 'OBJECT' THEN json_keys(${document}) ELSE [] END`,
      ),
      sql`,`,
    )}))`,
  memberNamed: (document, name) => sql`json_extract(${document}, ${pointerTo(name)})`,
  itemsOf: (json) =>
    sql`CASE WHEN json_type(${json}) = 'ARRAY' THEN json_extract(${json}, '$[*]') ELSE [${json}] END`,
  recordAt: (one, pointer) => sql`TRY(json_extract(${one}, ${text(pointer)}))`,
  recordTextAt: (one, pointer) => sql`TRY(json_extract(${one}, ${text(pointer)}))::VARCHAR`,
  onlyMember: (document, name) => sql`CASE WHEN len(json_keys(${document}, ${text(`/${name}`)})) = 1
    THEN json_extract(${document}, ${text(`/${name}/`)} || replace(replace(json_keys(${document}, ${text(`/${name}`)})[1], '~', '~0'), '/', '~1')) END`,
  modelOutputAt: (output, pointer) => sql`model_output(${output}, ${text(pointer)})`,
  modelOutputText: MODEL_OUTPUT_TEXT,
  hasScores: (output) => sql`json_type(${output}, '/scores') = 'OBJECT'`,
  exists: (from) => sql`EXISTS (${from})`,
  nothing: () => sql`NULL`,
  named: (column) => column,
  recordsOf: (from) => sql`(${from})`,
  placed,
  unnested: (list) => sql`unnest(${list})`,
  allBut: (column) => sql`* EXCLUDE (${column})`,
  bitsOf: (position) => sql`bit_or(1::BIGINT << ${position}::BIGINT)`,
  joinedTexts: (value, order, separator) =>
    sql`string_agg(${value}::VARCHAR, ${separator} ORDER BY ${order})`,
  inlined: sql`NOT MATERIALIZED`,
  storedOrder: sql`trial_key`,
  median: (number) => sql`quantile_cont(${number}, 0.5)`,
  integerOrNull: (number) => sql`TRY_CAST(${number} AS BIGINT)`,
  binned: (number, edges) => sql`unnest(map_entries(histogram(${number}, ${edges})))`,
  doublesOf,
  replaced: (value, pattern, by) => sql`regexp_replace(${value}, ${pattern}, ${by}, 'g')`,
  beginning: (value, characters) => sql`left(${value}, ${constant(characters)})`,
  holds,
  matches: (value, pattern, caseInsensitive) =>
    caseInsensitive
      ? sql`regexp_matches(${value}, ${pattern}, 'i')`
      : sql`regexp_matches(${value}, ${pattern})`,
};

function pointerTo(name: Sql): Sql {
  return sql`'/' || replace(replace(${name}, '~', '~0'), '/', '~1')`;
}

/** A constant of more bits than an INTEGER has becomes a double. */
const INTEGER_BITS = 31;

function lowMask(bits: number): Sql {
  if (bits <= INTEGER_BITS) return constant(2 ** bits - 1);
  const half = constant(2 ** (bits / 2));
  return sql`(${half}::HUGEINT * ${half} - 1)`;
}

/**
 * DuckDB joins the list, skips blocks outside of its range while it reads, and so does not read the texts of other
 * records; an IN list of constants is tested after everything was read. A text takes a fraction of the time of a list
 * of constants to plan.
 */
function amongKeys(column: Sql, keys: readonly Key[]): Sql {
  const type = keys.every((key) => key < 2 ** 31) ? sql`INTEGER` : sql`UBIGINT`;
  const [first, ...rest] = keys.map((key) => constant(BigInt(key)));
  if (first === undefined) return sql`false`;
  if (rest.length === 0) return sql`${column} = ${first}`;
  return sql`${column} IN (SELECT unnest('[${join([first, ...rest])}]'::${type}[]))`;
}

/**
 * DuckDB skips what lies between records by their place alone: by any other column it reads all between the first and
 * the last.
 */
function ofFew(table: Sql, condition: Sql, most: number): Sql {
  return most > MOST_PLACES ? condition : sql`rowid IN (SELECT rowid FROM ${table} WHERE ${condition})`;
}

/** Keys are dense, so the keys of one request mostly fit the bits of one word. */
function countEvaluations(keys: readonly number[], column: Sql): Sql {
  const least = keys.reduce((a, b) => Math.min(a, b), Infinity);
  const most = keys.reduce((a, b) => Math.max(a, b), -Infinity);
  if (most - least > 62) return sql`count(DISTINCT ${column})`;
  return sql`bit_count(bit_or(1::BIGINT << (${column} - ${constant(least)})))`;
}

function placed(page: RecordPage): Sql {
  const names = join(page.columns.map(({ name }) => name));
  const values = join(page.columns.map(({ value }) => value));
  return sql`SELECT ${names}, row_number() OVER () - 1 AS place
      FROM (SELECT ${values} ${page.from} ORDER BY ${page.order}${bounds(page)})`;
}

function doublesOf(column: Sql, lists: ReadonlyMap<number, string>): Sql {
  const whens = [...lists].map(([key, list]) => sql` WHEN ${constant(key)} THEN ${text(list)}::DOUBLE[]`);
  return sql`CASE ${column}${join(whens, EMPTY)} END`;
}
