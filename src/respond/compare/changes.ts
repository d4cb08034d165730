import { shortCommit } from "../../model/labels.ts";
import { countOf, firstAndMore } from "../../model/messages.ts";
import { nameText } from "../../model/name-text.ts";
import { namedVersion, referenceLabel } from "../../model/references.ts";

/** Two different values: before, and now. */
export type Change<T> = readonly [before: T, now: T];

/** What of a pair is not the same in both evaluations, beside their answers. What a side does not say is no change. */
export interface Changes {
  /** Id of the baseline. */
  readonly baseline: string;
  /** Id of the candidate. */
  readonly candidate: string;
  /** All of it as one line without an end; `nothing that is recorded` where there is nothing. */
  readonly text: string;
  /** Models, as `name:version` where they state a version. */
  readonly model: Change<string> | null;
  /** Datasets, likewise. */
  readonly dataset: Change<string> | null;
  /**
   * Rows that both ran on and that are the same, that the candidate alone ran on, the baseline alone, and both with
   * another content.
   */
  readonly rows: Readonly<Record<"same" | "added" | "removed" | "edited", number>>;
  /**
   * Scorers, or dimensions of one that both have, of which the candidate alone has a value, or the baseline alone; and
   * scorers of which both state a version, and not the same.
   */
  readonly scorers: Readonly<Record<"added" | "removed" | "redefined", readonly string[]>>;
  /** The most trials of a row. */
  readonly trials_per_row: Change<number> | null;
  /** Commits of the code that ran. */
  readonly commits: Change<string> | null;
}

/** What is known of one side of a pair. */
export interface ChangingSide {
  readonly id: string;
  /** A reference or a name. */
  readonly model: string | null;
  /** References to its dataset; none where it states none. */
  readonly datasets: readonly string[];
  readonly commit: string | null;
  readonly trialsPerRow: number;
  /** Dimensions with values. */
  readonly scores: readonly (readonly string[])[];
  /** References to the scorers that are known, by name. */
  readonly scorers: ReadonlyMap<string, string>;
}

/** Tells what changed from the baseline to the candidate. */
export function changesOf(before: ChangingSide, now: ChangingSide, rows: Changes["rows"]): Changes {
  const modelOf = ({ model }: ChangingSide) => (model === null ? [] : [model]);
  const { trialsPerRow: own } = now;
  const changes = {
    model: changed(modelOf(before), modelOf(now)),
    dataset: changed(before.datasets, now.datasets),
    rows,
    scorers: {
      added: lacking(now, before),
      removed: lacking(before, now),
      redefined: [...now.scorers].flatMap(([name, reference]) => {
        const other = before.scorers.get(name);
        return other === undefined || isAlike([other], [reference], true) ? [] : [name];
      }),
    },
    trials_per_row: before.trialsPerRow === own ? null : ([before.trialsPerRow, own] as const),
    commits:
      before.commit === null || now.commit === null || before.commit === now.commit
        ? null
        : ([before.commit, now.commit] as const),
  };
  return { baseline: before.id, candidate: now.id, text: textOf(changes), ...changes };
}

/** The scorers that only the first side has, and dimensions of those that both have. */
function lacking(one: ChangingSide, other: ChangingSide): string[] {
  const known = new Set(other.scores.flatMap((path) => [path[0] ?? "", path.join(".")]));
  const names = one.scores.flatMap((path) => {
    const [scorer = ""] = path;
    return !known.has(scorer) ? [scorer] : known.has(path.join(".")) ? [] : [path.join(".")];
  });
  return [...new Set(names)];
}

function changed(before: readonly string[], now: readonly string[]): Change<string> | null {
  return before.length === 0 || now.length === 0 || isAlike(before, now)
    ? null
    : [labelsOf(before), labelsOf(now)];
}

/** Whether references are to the same names, and to the same versions where both state one; `alone`: to these alone. */
export function isAlike(before: readonly string[], now: readonly string[], alone = false): boolean {
  const [own, others] = [before.map(namedVersion), now.map(namedVersion)];
  return (
    own.length === others.length &&
    own.every(({ name, version }, i) => {
      const other = others[i] ?? { name: null, version: null };
      const isSame = version === null || other.version === null || version === other.version;
      return (alone || name === other.name) && isSame;
    })
  );
}

/** What references are called: `set:v2 and other:v1`. */
export function labelsOf(references: readonly string[]): string {
  return references.map(referenceLabel).join(" and ");
}

const MOST_NAMED = 20;

function textOf(changes: Omit<Changes, "baseline" | "candidate" | "text">): string {
  const { model, dataset, rows, scorers, trials_per_row: trials, commits } = changes;
  const counts = (["added", "removed", "edited"] as const).filter((what) => rows[what] > 0);
  const moved = [
    ...scorers.added.map((name) => `${nameText(name)} new`),
    ...scorers.removed.map((name) => `${nameText(name)} gone`),
    ...scorers.redefined.map((name) => `${nameText(name)} redefined`),
  ];
  const parts = [
    arrowText("model ", model, " → "),
    arrowText("dataset ", dataset, " → "),
    counts.map((what, i) => `${i === 0 ? countOf(rows[what], "row") : rows[what]} ${what}`).join(", "),
    moved.length === 0 ? "" : `scores: ${firstAndMore(moved, MOST_NAMED)}`,
    arrowText("trials a row ", trials, " → "),
    arrowText("commits ", commits === null ? null : [shortCommit(commits[0]), shortCommit(commits[1])], ".."),
  ];
  return parts.filter(Boolean).join("; ") || "nothing that is recorded";
}

function arrowText(what: string, change: Change<string | number> | null, between: string): string {
  return change === null ? "" : `${what}${change.map((one) => nameText(String(one))).join(between)}`;
}
