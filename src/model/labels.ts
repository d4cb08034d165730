import { QUOTED } from "./name-text.ts";
import { grouped } from "./grouped.ts";
import { parseReference, shownVersion } from "./references.ts";

/** What an evaluation is called by: members of an entry of `listEvaluations`. */
export interface Labelled {
  readonly id: string;
  readonly display_name: string | null;
  /** ISO 8601 in UTC. */
  readonly started_at: string | null;
  readonly model_ref: string | null;
  readonly commit: string | null;
  readonly branch: string | null;
  /** What the file is called that it was imported from. */
  readonly file?: string | null;
}

/** What tells one of several of one name from the others; null where it has none. */
type Mark = (one: Labelled) => string | null;

const date: Mark = ({ started_at: at }) => at?.slice(0, 10) ?? null;
const minute: Mark = ({ started_at: at }) => at?.slice(11, 16) ?? null;
const second: Mark = ({ started_at: at }) => at?.slice(11, 19) ?? null;
const dateAnd =
  (time: Mark): Mark =>
  (one) =>
    one.started_at === null ? null : `${date(one)} ${time(one)}`;

const version: Mark = ({ model_ref: ref }) => {
  const digest = (ref === null ? null : parseReference(ref)?.digest) ?? null;
  return digest === null ? null : shownVersion(digest);
};

/** A commit as people read it: of a hexadecimal one seven characters. */
export function shortCommit(commit: string): string {
  return /^[0-9a-f]{7,}$/i.test(commit) ? commit.slice(0, 7) : commit;
}

const shortCommitOf: Mark = ({ commit }) => (commit === null ? null : shortCommit(commit));
const branchOf: Mark = ({ branch }) => branch;

const TIMES = [minute, second, date, dateAnd(minute), dateAnd(second)];
const OTHERS = [version, shortCommitOf, branchOf];

/** The shortest form of the start first: the time alone where all started on one day. */
function marksOf(namesakes: readonly Labelled[]): readonly Mark[] {
  const oneDay = new Set(namesakes.map(date)).size === 1;
  return [...(oneDay ? TIMES.slice(0, 2) : TIMES.slice(2)), ...OTHERS];
}

const SHORTEST_END = 4;

function endsOf(namesakes: readonly Labelled[]): Mark {
  const longest = Math.max(...namesakes.map(({ id }) => id.length));
  let length = SHORTEST_END;
  while (length < longest && new Set(namesakes.map(({ id }) => id.slice(-length))).size < namesakes.length)
    length++;
  return ({ id }) => `…${id.slice(-length)}`;
}

/** Each mark that may stand behind the name of an evaluation, but for the end of its id. */
function allMarks(one: Labelled): ReadonlySet<string> {
  return new Set([...TIMES, ...OTHERS].flatMap((mark) => mark(one) ?? []));
}

function behind(name: string, mark: string): string {
  return `${name} (${mark})`;
}

/** Labels of evaluations of one name by the first mark that each has alone, and whose labels are not `taken`. */
function tellApart(name: string, namesakes: readonly Labelled[], taken: ReadonlySet<string>): string[] {
  const uses = new Map<string, number>();
  for (const one of namesakes) for (const mark of allMarks(one)) uses.set(mark, (uses.get(mark) ?? 0) + 1);
  const ends = endsOf(namesakes);
  for (const mark of [...marksOf(namesakes), ends]) {
    const own = namesakes.map(mark);
    const alone = own.every((text) => text !== null && (mark === ends || uses.get(text) === 1));
    const labels = own.map((text) => behind(name, text ?? ""));
    if (alone && labels.every((label) => !taken.has(label))) return labels;
  }
  return namesakes.map(({ id }) => id);
}

/**
 * What people read for each evaluation that is shown together, by id: its name, of namesakes with what tells them apart
 * (`sums (12:04)`), and the id where there is no name. No two labels are alike.
 */
export function evaluationLabels(shown: readonly Labelled[]): ReadonlyMap<string, string> {
  const ids = new Set(shown.map(({ id }) => id));
  const nameOf = ({ display_name }: Labelled) => display_name ?? "";
  const named = [...new Map(shown.map((one) => [one.id, one])).values()].filter((one) => {
    const name = nameOf(one);
    return name.trim() !== "" && (!ids.has(name) || name === one.id);
  });
  const byName = grouped(named, nameOf);
  const taken = new Set([...ids, ...byName.keys()]);
  const labels = new Map(shown.map(({ id }) => [id, id]));
  for (const [name, namesakes] of byName) {
    const told = namesakes.length === 1 ? [name] : tellApart(name, namesakes, taken);
    for (const [i, { id }] of namesakes.entries()) labels.set(id, told[i] ?? id);
    for (const label of told) taken.add(label);
  }
  return labels;
}

/** The evaluations that a label may mean, whatever it was shown with: `sums (12:04)`, `sums (v7)`, `sums (…b4f7)`. */
export function labelledBy<T extends Labelled>(label: string, list: readonly T[]): T[] {
  return list.filter((one) => {
    const before = behind(one.display_name ?? "", "").slice(0, -1);
    if (!label.startsWith(before) || !label.endsWith(")")) return false;
    const mark = label.slice(before.length, -1);
    const isEnd = mark.length > SHORTEST_END && mark.startsWith("…") && one.id.endsWith(mark.slice(1));
    return isEnd || allMarks(one).has(mark);
  });
}

/** Writes labels instead of the ids that sentences quote. */
export function labelTexts(labels: ReadonlyMap<string, string>): (texts: readonly string[]) => string[] {
  const quoted = new Map([...labels].map(([id, label]) => [JSON.stringify(id), JSON.stringify(label)]));
  return (texts) => texts.map((text) => text.replaceAll(QUOTED, (id) => quoted.get(id) ?? id));
}
