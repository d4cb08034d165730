import {
  bounds,
  constant,
  EMPTY,
  join,
  sql,
  text,
  type Dialect,
  type RecordPage,
  type Sql,
} from "../../store/sql.ts";
import { documentName, documentOf, MARK, modelOutputAt, valueAt } from "./documents.ts";
import { loadedName, TYPES } from "./loaded.ts";

/**
 * Statements need the settings of {@link QUERY_SETTINGS}, and the functions and relations of a `Preamble` before them.
 */
const jsonText = (json: Sql) => sql`nullIf(json_spelled(${json}), 'null')`;

export const CLICKHOUSE: Dialect = {
  parameter: (number, type, isNull) =>
    isNull ? `{p${number}:Nullable(${TYPES[type]})}` : `{p${number}:${TYPES[type]}}`,
  loaded: (name) => ({ parts: [loadedName(name)], holes: [] }),
  // What is below a null may be no number, and is cast with the others.
  roundToInteger: (number) => sql`if(isNull(${number}), NULL, CAST(round(ifNull(${number}, 0)) AS Int64))`,
  wideSum: (integer) => sql`sum(CAST(${integer} AS Int128))`,
  wide: (integer) => sql`CAST(${integer} AS Int128)`,
  divideIntegers: (dividend, divisor) => sql`intDiv(${dividend}, ${divisor})`,
  exactSum,
  highBits: (integer, bits) => sql`bitShiftRight(${integer}, ${constant(bits)})`,
  lowBits: (integer, bits) => sql`bitAnd(${integer}, bitShiftLeft(toInt128(1), ${constant(bits)}) - 1)`,
  bind: (value, name, body) => sql`arrayMap(${name} -> ${body}, [${value}])[1]`,
  record: (fields) => sql`tuple(${join(fields.map(({ name, value }) => sql`${value} AS ${name}`))})`,
  relationOf: (name, columns, records) => {
    const tuples = records.map((values) => sql`tuple(${join(values)})`);
    const values = columns.map((column, i) => sql`tupleElement(record, ${constant(i + 1)}) AS ${column}`);
    return sql`${name} AS (SELECT ${join(values)} FROM (SELECT arrayJoin([${join(tuples)}]) AS record))`;
  },
  // A relation that is kept has no `.*`.
  columnsOf: (relation, columns) => join(columns.map((column) => sql`${relation}.${column} AS ${column}`)),
  amongKeys: (column, keys) =>
    keys.length === 0
      ? sql`false`
      : sql`${column} IN (${join(keys.map((key) => ({ parts: [String(key)], holes: [] })))})`,
  manyTrials: sql`false`,
  longTexts: sql`false`,
  // Texts are stored whole.
  isStub: () => sql`false`,
  textKey: () => sql`NULL`,
  isOutput: () => sql`false`,
  textBytes: () => sql`NULL`,
  trialsWith: () => sql`trials`,
  textsOf: () => sql`SELECT NULL AS text_key, NULL AS txt WHERE false`,
  documentsWith: (documents) => documents,
  // Texts are those of long texts, of which there are none.
  readingsOf: (
    keys,
    numbers,
  ) => sql`(SELECT tupleElement(one, 1) AS trial_key, tupleElement(one, 2) AS number,
      CAST(NULL AS String) AS text FROM (SELECT arrayJoin(arrayZip(JSONExtract(${pieces(keys)}, 'Array(UInt64)'),
      JSONExtract(${pieces(numbers)}, 'Array(Nullable(Float64))'))) AS one))`,
  ofFew: (_table, condition) => condition,
  trialTokens: sql`trial_tokens`,
  callHash: ({ projectId }, id) =>
    sql`reinterpretAsUInt64(substring(SHA256(concat(${text(projectId)}, char(0), ${id})), 1, 8))`,
  callTree: sql`call_tree`,
  noRowKey: sql`CAST(NULL AS UInt64)`,
  selected: sql`selected`,
  countEvaluations: (keys, column) => {
    const least = keys.reduce((a, b) => Math.min(a, b), Infinity);
    return keys.every((key) => key - least < 64)
      ? sql`bitCount(groupBitOr(bitShiftLeft(toUInt64(1), ${column} - ${constant(least)})))`
      : sql`uniqExact(${column})`;
  },
  filtered: (aggregate, condition) => sql`${aggregate} FILTER (WHERE ${condition})`,
  // An aggregate over the bare value would skip nulls.
  firstBy: (value, order, condition) => {
    const only = condition === undefined ? EMPTY : sql` FILTER (WHERE ${condition})`;
    return sql`tupleElement(argMin(tuple(${value}), tuple(${order}))${only}, 1)`;
  },
  lastBy: (value, order) => sql`argMax(${value}, tuple(${order}))`,
  every: (condition) => sql`(min(${condition}) = 1)`,
  some: (condition) => sql`(max(${condition}) = 1)`,
  small: (integer) => sql`CAST(${integer} AS UInt8)`,
  jsonColumns: (column) => sql`${column(EMPTY)}, ${column(sql`_doc`)}`,
  jsonText,
  jsonAt: (document, pointer) => valueAt(documentOf(document), pointer),
  amountAt: (document, pointer) => sql`json_amount(${valueAt(documentOf(document), pointer)})`,
  memberNames: (documents) => {
    const names = documents.map((document) => sql`JSONExtractKeys(ifNull(${documentOf(document)}, ''))`);
    return sql`arrayMap(name -> if(startsWith(name, ${text(MARK)}), substring(name, 4), name),
      arrayDistinct(arrayConcat(${join(names)})))`;
  },
  memberNamed: (document, name) =>
    sql`nullIf(JSONExtractRaw(${documentOf(document)}, ${documentName(name)}), '')`,
  itemsOf: (json) =>
    sql`arrayMap(one -> if(startsWith(one, '['), JSONExtractArrayRaw(one), [one]), [ifNull(${json}, 'null')])[1]`,
  recordAt: (one, pointer) => valueAt(documentOf(one), pointer),
  recordTextAt: (one, pointer) => sql`json_spelled(${valueAt(documentOf(one), pointer)})`,
  onlyMember: (document, name) =>
    sql`arrayMap(members -> if(length(members) = 1, members[1].2, NULL), [JSONExtractKeysAndValuesRaw(${documentOf(document)}, ${text(name)})])[1]`,
  modelOutputAt,
  modelOutputText: jsonText(modelOutputAt(sql`t.output`, "")),
  hasScores: (output) => sql`(JSONType(${documentOf(output)}, 'scores') = 'Object')`,
  exists: (from) => sql`EXISTS (SELECT 1 ${from})`,
  nothing: (type) =>
    sql`CAST(NULL AS ${{ parts: [type === "HUGEINT" ? "Int128" : TYPES[type]], holes: [] }})`,
  named: (column, name) => sql`${column} AS ${name}`,
  recordsOf: (from) => sql`(SELECT * ${from})`,
  placed,
  unnested: (list) => sql`arrayJoin(${list})`,
  allBut: (column) => sql`* EXCEPT (${column})`,
  bitsOf: (position) => sql`groupBitOr(bitShiftLeft(toInt64(1), assumeNotNull(${position})))`,
  joinedTexts: (value, order, separator) =>
    sql`arrayStringConcat(arrayMap(one -> toString(one.2), arraySort(groupArray(tuple(${order}, ${value})))), ${separator})`,
  inlined: EMPTY,
  storedOrder: sql`tuple(first_load, first_position)`,
  // quantileExactInclusive adds half of the difference to the lower one, which rounds twice.
  median: (number) =>
    sql`(quantileExactLowOrNull(0.5)(${number}) * 0.5 + quantileExactHighOrNull(0.5)(${number}) * 0.5)`,
  integerOrNull: (number) => sql`accurateCastOrNull(round(${number}), 'Int64')`,
  binned: (number, edges) => sql`arrayJoin(arrayMap((edge, n) -> tuple(edge AS key, n AS value),
    tupleElement(sumMap([arrayFirst(edge -> edge >= ${number}, ${edges})], [toUInt64(1)]) AS bins, 1), tupleElement(bins, 2)))`,
  doublesOf,
  replaced: (value, pattern, by) => sql`replaceRegexpAll(${value}, ${pattern}, ${by})`,
  beginning: (value, characters) => sql`leftUTF8(${value}, ${constant(characters)})`,
  holds: (value, part) => sql`contains(${value}, ${text(part)})`,
  // By default the dot matches a line break here.
  matches: (value, pattern, caseInsensitive) =>
    sql`match(${value}, concat(${text(caseInsensitive ? "(?i-s)" : "(?-s)")}, ${pattern}))`,
};

/** A subquery has no order, so that the places are counted in an order of their own. */
function placed(page: RecordPage): Sql {
  const columns = join(page.columns.map(({ value, name }) => sql`${value} AS ${name}`));
  return sql`SELECT ${columns}, CAST(row_number() OVER (ORDER BY ${page.order}) AS Int64) - ${constant(page.offset + 1)} AS place
      ${page.from} ORDER BY place${bounds(page)}`;
}

/** A value of a request may have 128 KiB. */
const PIECE = 60_000;

function pieces(value: string): Sql {
  const parts = Array.from({ length: Math.ceil(value.length / PIECE) }, (_, i) =>
    value.slice(i * PIECE, (i + 1) * PIECE),
  );
  return sql`concat('', ${join(parts.map((part) => sql`${text(part)}`))})`;
}

function doublesOf(column: Sql, lists: ReadonlyMap<number, string>): Sql {
  const whens = [...lists].map(
    ([key, list]) => sql` WHEN ${constant(key)} THEN CAST(${text(list)} AS Array(Float64))`,
  );
  return sql`CASE ${column}${join(whens, EMPTY)} ELSE [] END`;
}

/** The same steps as on DuckDB (`duckdb/dialect/exact-sum.ts`), with digits alone. */
function exactSum(number: Sql): Sql {
  const size = sql`nullIf(abs(${number}), 0)`;
  return sql`exact_sum(groupArray(${number}), min(${size}), max(${size}), sum(${number}))`;
}
