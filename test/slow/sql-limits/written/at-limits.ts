import { parts } from "./parts.ts";

const aggregates =
  "avg(i) median(i) quantile_cont(i,0.5) quantile_disc(i,0.5) mode(i) mad(i) entropy(i) kurtosis(i) skewness(i) stddev(i) corr(i,i+1) approx_quantile(i,0.5) approx_count_distinct(i) arg_max(i,hash(i)) max(md5(i::varchar)) max(i) bit_xor(i) product(i) kahan_sum(i) first(i) last(i) any_value(i) sum(i::hugeint) regr_slope(i,i+1) geomean(i) approx_top_k(i,3) max(i,3) arg_max(i,hash(i),3) mode(md5(i::varchar)) median(md5(i::varchar)) count(i)".split(
    " ",
  );

const frames = [
  "rows between unbounded preceding and current row",
  "rows between 100000 preceding and 100000 following exclude ties",
];

function equal(i: number, j: number): string {
  return `s${i}.numeric_value = s${i + j + 1}.numeric_value`;
}

function joined(i: number): string {
  return `join trials t${i} on s.trial_id = t${i}.trial_id and s.numeric_value > ${i}`;
}

/** A join of each with each. */
function clique(count: number): string {
  const conditions = parts(count - 1, (i) => parts(count - 1 - i, (j) => equal(i, j), " and "), " and ");
  return `select count(*) from ${parts(count, (i) => `scores s${i}`)} where ${conditions}`;
}

function row(count: number): string {
  const conditions = parts(count - 1, (i) => `s${i}.trial_id = s${i + 1}.trial_id`, " and ");
  return `select count(*) from ${parts(count, (i) => `scores s${i}`)} where ${conditions}`;
}

function star(count: number): string {
  return `select count(*) from scores s ${parts(count, joined, " ")}`;
}

/** What is allowed, as much of it as is. */
export const atLimits: readonly string[] = [
  ...[8, 12, 16, 20].map(clique),
  ...[20, 40, 64].map(row),
  ...[20, 39, 40].map(star),
  "select len(concat(" + parts(150, () => "record") + ")) from calls, range(1000)",
  "select " + parts(120, (i) => `max(upper(record::varchar || '${i}'))`) + " from calls, range(1000)",
  "select " +
    parts(60, (i) => `max(upper(record::varchar || '${i}') || lower(record::varchar))`) +
    " from calls, range(1000)",
  "select " + parts(60, (i) => `max(lpad((i+${i})::varchar, 500, 'x'))`) + " from range(1000000000) t(i)",
  "select i, " + parts(30, (k) => `lpad((i+${k})::varchar, 1000, 'x')`) + " from range(1000000000) t(i)",
  "select " + parts(900, (i) => `sum(i + ${i})`) + " from range(100000000) t(i)",
  "select " + parts(900, (i) => `i + ${i}`) + " from range(100000000) t(i)",
  "select i, " +
    parts(300, (k) => `sum(i) over (partition by i % ${k + 2} order by i)`) +
    " from range(1000000) t(i)",
  "select " +
    parts(50, (k) => `sum(i) over (partition by i % ${k + 2} order by hash(i))`) +
    " from range(10000000) t(i)",
  "select " + parts(90, (i) => `i % ${i + 1000}`) + ", count(*) from range(100000000) t(i) group by all",
  "select * from range(100000000) t(i) order by " + parts(90, (k) => `hash(i + ${k})`),
  ...aggregates.flatMap((aggregate) =>
    frames.map((frame) => `select ${aggregate} over (order by hash(i) ${frame}) from range(1000000) t(i)`),
  ),
];
