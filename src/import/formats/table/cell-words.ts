import type { Json } from "../../../model/json.ts";

/** What a word says of an answer; `boolean` is a truth value wherever it stands. */
interface TruthWord {
  /**
   * `verdict`, `letter`: only where no other label is there; a letter may be a grade or an option, a verdict one of
   * three.
   */
  readonly kind: "boolean" | "word" | "verdict" | "letter";
  readonly value: boolean;
}

/** Words of truth and of falsehood, pair by pair. */
const PAIRS: Readonly<Record<TruthWord["kind"], string>> = {
  boolean: "true/false",
  word: "yes/no pass/fail passed/failed ✓/✗ ✔/✘ ✅/❌ ☑/✖ ☑/☒",
  verdict:
    "correct/incorrect right/wrong success/failure succeeded/failed resolved/unresolved solved/unsolved accepted/rejected " +
    "wahr/falsch ja/nein richtig/falsch vrai/faux oui/non verdadero/falso sí/no vero/falso sì/no verdadeiro/falso sim/não",
  letter: "t/f y/n w/f v/f",
};

/** Words by their lower case; of two kinds the first counts: `no` is one of English too. */
export const TRUTH_WORDS: ReadonlyMap<string, TruthWord> = new Map(
  Object.entries(PAIRS)
    .toReversed()
    .flatMap(([kind, pairs]) =>
      pairs.split(" ").flatMap((pair) =>
        pair.split("/").flatMap((word, i) => {
          const said = { kind: kind as TruthWord["kind"], value: i === 0 };
          return (["NFC", "NFD"] as const).map((form) => [word.normalize(form), said] as const);
        }),
      ),
    ),
);

export const LONGEST_WORD = Math.max(...Array.from(TRUTH_WORDS.keys(), (word) => word.length));

export const NOT_AVAILABLE: ReadonlySet<string> = new Set(["na", "n/a", "nan", "null", "none", "-", "–"]);

/** Texts that stand in the place of a verdict, and are none of its labels. */
export const NO_LABEL =
  /error|exception|crash|traceback|time[d ]? ?out|failed to|^(unknown|undetermined|not[ _]run|skip(ped)?)$/i;

/** Texts that are no value in a column of truth values. */
export const UNDECIDED = /^(unknown|undetermined|not[ _]run)$/i;

/** Names of columns that say how a run went, and what they say of one that is no verdict. */
const STATE_NAME = /(^|_)(status|state)$/;
const STATES: ReadonlySet<string> = new Set(
  (
    "success succeeded complete completed done finished ended ok running started pending queued error errored " +
    "skip skipped cancelled canceled aborted timeout"
  ).split(" "),
);

/** Whether a column, by its name and its values, holds states of a run; `passed` and `failed` are verdicts. */
export function holdsStates(plainName: string, labels: ReadonlyMap<string, number> | null): boolean {
  return isStateName(plainName) && [...(labels?.keys() ?? [])].some((label) => isState(label));
}

function isState(label: string): boolean {
  return STATES.has(label.toLowerCase());
}

/** Whether a column says how a run went, by its name as guesses see it. */
export function isStateName(plainName: string): boolean {
  return STATE_NAME.test(plainName);
}

/** Whether a value that stands among verdicts is none. */
export function saysNone(value: unknown): boolean {
  if (typeof value !== "string") return value === null;
  const text = value.trim();
  return NOT_AVAILABLE.has(text.toLowerCase()) || UNDECIDED.test(text) || saysSkipped(text);
}

/** Whether a cell of such a column says that its record was skipped. */
export function saysSkipped(cell: Json | undefined): boolean {
  return typeof cell === "string" && /^\s*skip(ped)?\s*$/i.test(cell);
}
