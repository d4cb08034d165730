import { splitFieldPath } from "../../model/field-path.ts";
import { parseJson, writeJson, type Json } from "../../model/json.ts";
import { formatTimestamp, parseTimestamp } from "../../model/timestamp.ts";
import { createTurnTaker, mapInSlices } from "../../model/turns.ts";
import { valueAt } from "../conditions/operands.ts";
import { schemaFault } from "../request/read-request.ts";
import type { WeaveSeam } from "../request/seam.ts";
import { numberAs, valuesAt } from "./payload-values.ts";
import { textIn } from "./names.ts";
import { type Aggregation, type Metric, slugOf, type StatsRequest } from "./statistics-requests.ts";
import { windowOf } from "./window.ts";

const SECOND = 1_000_000n;
const MOST_BUCKETS = 10_000;
const MOST_NUMBERS = 500_000;

/** The seconds of a bucket of windows of up to so many seconds. */
const GRANULARITIES = [
  [7_200, 300],
  [43_200, 3_600],
  [259_200, 21_600],
  [1_209_600, 43_200],
  [Infinity, 86_400],
] as const;

/** The figures of payloads of a window, and of each part of it. */
export async function feedbackStats(feedback: WeaveSeam["feedback"], asked: StatsRequest): Promise<string> {
  const { start, end, records } = windowOf(feedback, asked);
  const turns = createTurnTaker();
  const places = placesOf(start, end, asked);
  if (places.count * asked.metrics.flatMap(figuresOf).length > MOST_NUMBERS)
    throw schemaFault(["metrics"], `must ask for at most ${MOST_NUMBERS} numbers in all buckets`);
  const whole = createTallies(asked.metrics);
  const parts = new Map<number, Tallies>();
  for await (const record of records) {
    const text = record.get("payload") ?? "{}";
    if (turns.shouldYield(text.length)) await turns.next();
    const payload = parseJson(text);
    const place = places.of(parseTimestamp(textIn(record, "created_at")) ?? start);
    const part = parts.get(place) ?? createTallies(asked.metrics);
    parts.set(place, part);
    for (const tallies of [part, whole]) tallies.add(payload);
  }
  const nothing = createTallies(asked.metrics);
  const buckets = await mapInSlices(Array(places.count).keys(), (place) => {
    const part = parts.get(place) ?? nothing;
    const members = part.figures().flatMap(({ slug, figures }) => {
      return figures.map(([name, figure]) => [`${name}_${slug}`, figure] as const);
    });
    const fixed = { timestamp: formatTimestamp(places.begin(place)), count: part.count() };
    return writeJson({ ...fixed, ...Object.fromEntries(members) });
  });
  const stats = whole.figures().map(({ slug, figures }) => [slug, Object.fromEntries(figures)] as const);
  const { granularity, timezone } = places;
  const times = { start: formatTimestamp(start), end: formatTimestamp(end), granularity, timezone };
  const head = writeJson(times).slice(0, -1);
  return `${head},"buckets":[${buckets.join(",")}],"window_stats":${writeJson(Object.fromEntries(stats))}}`;
}

type Tallies = ReturnType<typeof createTallies>;

/** Adds up the values of metrics in payloads. */
function createTallies(metrics: readonly Metric[]) {
  const tallies = metrics.map((metric) => ({
    path: splitFieldPath(metric.json_path),
    slug: slugOf(metric),
    names: figuresOf(metric),
    tally: createTally(metric),
  }));
  let count = 0;
  return {
    add: (payload: Json) => {
      count++;
      for (const { path, tally } of tallies)
        for (const value of valuesAt(valueAt(payload, path))) tally.add(value);
    },
    count: () => count,
    figures: () =>
      tallies.map(({ slug, names, tally }) => {
        return { slug, figures: names.map((name) => [name, tally.figure(name)] as const) };
      }),
  };
}

/** The buckets of a window, which begin at multiples of their length in local time, with the offset at its start. */
function placesOf(start: bigint, end: bigint, { granularity, timezone }: StatsRequest) {
  const zone = timezone ?? "UTC";
  const offset = offsetAt(start, zone);
  const seconds = Number(end - start) / Number(SECOND);
  const bucketsOf = (length: number) => {
    const width = BigInt(length) * SECOND;
    const first = floorDivided(start + offset, width);
    return {
      granularity: length,
      timezone: zone,
      count: Number(floorDivided(end - 1n + offset, width) - first) + 1,
      of: (time: bigint) => Number(floorDivided(time + offset, width) - first),
      begin: (place: number) => (first + BigInt(place)) * width - offset,
    };
  };
  const usual = GRANULARITIES.find(([most]) => seconds <= most)?.[1] ?? 1;
  const wanted = bucketsOf(granularity ?? usual);
  return wanted.count > MOST_BUCKETS ? bucketsOf(Math.floor(seconds / MOST_BUCKETS) + 1) : wanted;
}

function floorDivided(a: bigint, b: bigint): bigint {
  return a / b - (a % b < 0n ? 1n : 0n);
}

const OFFSET = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?/;

/** How far local time is before UTC at a time, in microseconds. */
function offsetAt(time: bigint, timeZone: string): bigint {
  const format = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" });
  const [, sign, hours = 0, minutes = 0, rest = 0] = OFFSET.exec(format.format(Number(time / 1000n))) ?? [];
  const seconds = BigInt(Number(hours) * 3600 + Number(minutes) * 60 + Number(rest)) * SECOND;
  return sign === "-" ? -seconds : seconds;
}

const USUAL: Readonly<Record<"numeric" | "boolean" | "categorical", readonly Aggregation[]>> = {
  numeric: ["avg", "min", "max"],
  boolean: ["count_true", "count_false"],
  categorical: ["count"],
};

type Figure = Aggregation | `p${number}`;

/** The figures that a metric asks for, each once. */
function figuresOf({ aggregations, percentiles, value_type: type }: Metric): Figure[] {
  const wanted = aggregations?.length ? aggregations : USUAL[type ?? "numeric"];
  const among = (type ?? "numeric") === "numeric" ? (percentiles ?? []) : [];
  return [...new Set([...wanted, ...among.map((one): Figure => `p${one}`)])];
}

/** Adds up the values of a metric. */
function createTally({ value_type, percentiles }: Metric) {
  const type = value_type ?? "numeric";
  const numbers: number[] | null = type === "numeric" && percentiles?.length ? [] : null;
  let isSorted = true;
  const sums = { count: 0, count_true: 0, count_false: 0, sum: 0, min: Infinity, max: -Infinity };
  /** What rounding took from the sum (Neumaier 1974). */
  let lost = 0;
  return {
    add: (value: Json) => {
      const number = numberAs(type, value);
      if (number === null && type !== "categorical") return;
      sums.count++;
      if (number === null) return;
      if (type === "boolean") sums[number === 1 ? "count_true" : "count_false"]++;
      const sum = sums.sum + number;
      lost += Math.abs(sums.sum) >= Math.abs(number) ? sums.sum - sum + number : number - sum + sums.sum;
      sums.sum = sum;
      sums.min = Math.min(sums.min, number);
      sums.max = Math.max(sums.max, number);
      numbers?.push(number);
      isSorted = false;
    },
    /** Null where there is none, or it is beyond a double. */
    figure: (name: Figure): number | null => {
      if (numbers !== null && !isSorted) numbers.sort((a, b) => a - b);
      isSorted = true;
      const sum = sums.sum + lost;
      const figure = { ...sums, sum, avg: sum / sums.count };
      const found = isAggregation(name) ? figure[name] : percentile(numbers ?? [], Number(name.slice(1)));
      return Number.isFinite(found) ? found : null;
    },
  };
}

function isAggregation(name: Figure): name is Aggregation {
  return !/^p[\d.e-]+$/.test(name);
}

/** Linear between two of the sorted numbers (type 7 of Hyndman and Fan); NaN of none. */
function percentile(sorted: readonly number[], percent: number): number {
  const at = ((sorted.length - 1) * percent) / 100;
  const [low = NaN, high = low] = sorted.slice(Math.floor(at), Math.floor(at) + 2);
  return low + (at - Math.floor(at)) * (high - low);
}
