import { isJsonObject, parseJson, writeJson, type Json } from "../../model/json.ts";
import { writeMembers } from "../../model/member-texts.ts";
import { parseReference } from "../../model/references.ts";
import { compareText } from "../../model/text-order.ts";
import { parseTimestamp } from "../../model/timestamp.ts";
import { createTurnTaker } from "../../model/turns.ts";
import type { WeaveSeam } from "../request/seam.ts";
import { feedbackOutside, isTypeLike, textIn } from "./names.ts";
import type { AggregateRequest } from "./statistics-requests.ts";

type Members = ReadonlyMap<string, string>;

/** How often scorers said what, by time and by who said it. */
export async function aggregateFeedback(
  feedback: WeaveSeam["feedback"],
  asked: AggregateRequest,
): Promise<string> {
  const { after_ms, before_ms, time_bucket_seconds: seconds = null } = asked;
  const turns = createTurnTaker();
  const width = seconds === null ? null : seconds * 1000;
  const dimensions = [...new Set(asked.group_by ?? [])];
  const groups = new Map<string, Group>();
  const window = { since: BigInt(after_ms) * 1000n, until: BigInt(before_ms) * 1000n };
  for await (const record of feedbackOutside(feedback, asked.project_id, window)) {
    if (turns.shouldYield()) await turns.next();
    const said = sayingOf(record);
    if (!TESTS.every((test) => test(asked, said, record))) continue;
    const time = width === null ? null : Math.floor(said.milliseconds / width) * width;
    const values = dimensions.map((name) => (name === "scorer_id" ? said.scorer : textIn(record, name)));
    const key = JSON.stringify([time, ...values]);
    const group = groups.get(key) ?? newGroup(time, values);
    groups.set(key, group);
    addTo(group, said);
  }
  const ordered = [...groups.values()].toSorted(
    (a, b) => (a.time ?? 0) - (b.time ?? 0) || compareAll(a.values, b.values),
  );
  const head = writeJson({ after_ms, before_ms, time_bucket_seconds: seconds }).slice(0, -1);
  return `${head},"buckets":[${ordered.map((group) => groupText(group, dimensions)).join(",")}]}`;
}

function compareAll(a: readonly string[], b: readonly string[]): number {
  return a.map((text, i) => compareText(text, b[i] ?? "")).find((order) => order !== 0) ?? 0;
}

/** What a record says, of which trigger and by which scorer. */
function sayingOf(record: Members) {
  const time = parseTimestamp(textIn(record, "created_at")) ?? 0n;
  const [tags, ratings] = [jsonIn(record, "scorer_tags"), jsonIn(record, "scorer_ratings")];
  return {
    milliseconds: Number(time) / 1000,
    scorer: parseReference(textIn(record, "runnable_ref"))?.name ?? "",
    monitor: parseReference(textIn(record, "trigger_ref"))?.name ?? "",
    tags: Array.isArray(tags) ? (tags as readonly Json[]).filter((tag) => typeof tag === "string") : [],
    ratings: new Map(isJsonObject(ratings) ? Object.entries(ratings).flatMap(ratingOf) : []),
  };
}

/** What was sent inside of a member `weave` was not checked. */
function jsonIn(record: Members, name: string): Json {
  return parseJson(record.get(name) ?? "null");
}

function ratingOf([name, value]: readonly [string, Json]): (readonly [string, number])[] {
  const number = typeof value === "number" || typeof value === "bigint" ? Number(value) : NaN;
  return Number.isFinite(number) ? [[name, number]] : [];
}

type Saying = ReturnType<typeof sayingOf>;
type Test = (asked: AggregateRequest, said: Saying, record: Members) => boolean;

/** Whether a list is no condition, or one of its items is met. */
function isAny<Item>(list: readonly Item[] | null | undefined, isMet: (item: Item) => boolean): boolean {
  return !list?.length || list.some(isMet);
}

function isNamed(list: readonly string[] | null | undefined, name: string): boolean {
  return isAny(list, (one) => (one.endsWith("*") ? name.startsWith(one.slice(0, -1)) : one === name));
}

const KIND = /^weave:\/\/\/[^/]+\/[^/]+\/(agent_[a-z]+)\//;
/** The rating that bounds are about. */
const RATING = "_rating_";

const TESTS: readonly Test[] = [
  ({ feedback_types: types }, _, record) =>
    isAny(types, (one) => isTypeLike(textIn(record, "feedback_type"), one.replace(/\*$/, ""))),
  ({ scorer_ids: ids }, { scorer }) => isNamed(ids, scorer),
  ({ monitor_ids: ids }, { monitor }) => isNamed(ids, monitor),
  ({ span_agent_names: names }, _, record) =>
    isAny(names, (name) => name === textIn(record, "span_agent_name")),
  ({ span_types: types }, _, record) =>
    isAny(types, (type) => type === KIND.exec(textIn(record, "weave_ref"))?.[1]),
  ({ tags }, said) => isAny(tags, (tag) => said.tags.includes(tag)),
  ({ rating_min: least }, { ratings }) => least == null || (ratings.get(RATING) ?? -Infinity) >= least,
  ({ rating_max: most }, { ratings }) => most == null || (ratings.get(RATING) ?? Infinity) <= most,
];

type Group = ReturnType<typeof newGroup>;

function newGroup(time: number | null, values: readonly string[]) {
  return {
    time,
    values,
    total: 0,
    scored: 0,
    tags: new Map<string, number>(),
    sums: new Map<string, number>(),
    counts: new Map<string, number>(),
  };
}

function addTo(group: Group, { tags, ratings }: Saying): void {
  group.total++;
  if (tags.length > 0 || ratings.size > 0) group.scored++;
  for (const tag of tags) group.tags.set(tag, (group.tags.get(tag) ?? 0) + 1);
  for (const [name, rating] of ratings) {
    group.sums.set(name, (group.sums.get(name) ?? 0) + rating);
    group.counts.set(name, (group.counts.get(name) ?? 0) + 1);
  }
}

function groupText({ time, values, ...sums }: Group, dimensions: readonly string[]): string {
  const group = dimensions.map((name, i) => [name, values[i]]);
  const fixed = {
    time_bucket_start_ms: time,
    group: Object.fromEntries(group) as object,
    total_count: sums.total,
    scored_count: sums.scored,
  };
  const [tags, ratings, counts] = [sums.tags, sums.sums, sums.counts].map(numbersText);
  const rest = `"tag_counts":${tags},"rating_sums":${ratings},"rating_counts":${counts}`;
  return `${writeJson(fixed).slice(0, -1)},${rest}}`;
}

/** Numbers by name as a JSON text; null for one beyond a double. */
function numbersText(numbers: ReadonlyMap<string, number>): string {
  const ordered = [...numbers].toSorted(([a], [b]) => compareText(a, b));
  return writeMembers(
    new Map(ordered.map(([name, number]) => [name, Number.isFinite(number) ? writeJson(number) : "null"])),
  );
}
