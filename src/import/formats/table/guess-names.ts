import type { TableMapping } from "../../translate/table-mapping.ts";

/** A name of a column as guesses see it: lower case, `_` for what divides words. */
export function plainName(name: string): string {
  return name
    .trim()
    .replaceAll(/(?<=[a-z\d])(?=[A-Z][a-z])|(?<=[a-z\d]{2})(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})/g, "_")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "_")
    .replace(/(?<=.)_$/, "");
}

const words = (text: string): readonly string[] => text.split(" ");

/** Each of the first words with each of the second: `gold_answer`. */
const pairs = (first: string, second: string) =>
  words(first).flatMap((one) => words(second).map((other) => `${one}_${other}`));

const ANSWERS = "answer output response prediction completion text reply label choice option";

/** Names that a role is guessed by, in order; `*` stands for any characters. */
export const GUESSES = {
  row: words(
    "row_id sample_id example_id question_id instance_id task_id item_id doc_id prompt_id test_id case_id qid query_id problem_id " +
      "uid id index",
  ),
  model: words("model model_name model_id system llm engine agent provider"),
  evaluation: words("evaluation experiment experiment_id run run_id variant"),
  task: words("task benchmark dataset suite"),
  expected: [
    ...words(
      "expected expected_output expected_outputs reference_outputs ground_truth reference references target gold label ideal answer_key truth",
    ),
    ...pairs("expected correct gold golden reference target true ideal right", ANSWERS),
  ],
  output: [
    ...words(
      "pred prediction predicted model_answer model_output model_outputs output outputs response completion",
    ),
    ...words("generated actual_output"),
    ...pairs("model llm ai system assistant agent bot candidate predicted pred generated", ANSWERS),
  ],
  trial: words("trial epoch repeat attempt sample_index seed iteration replicate rep repetition sample_idx"),
  error: words("error exception error_message"),
  started: words("started_at timestamp created_at"),
  latency: words("latency* duration* elapsed* execution_time"),
  tokens: words("total_tokens tokens"),
  cost: words("cost*"),
} as const;

export const INPUT_NAMES = words("input inputs question prompt query user_input problem instruction input_*");

export type SingleRole = keyof typeof GUESSES;

/** The answer of the model where no other column is, else the expected one. */
export const ANSWER = "answer";

/** Names of rows that a column has only where each record of a run has a value of its own. */
export const UNIQUE_ROWS = ["task_name", "*_key"];

/** Settings of a run: never scores. */
const PARAMETERS = words(
  "k top_k top_n top_p min_p temperature threshold cutoff fold shots *_shots *_shot *_fewshot few_shots *max_tokens max_new_tokens " +
    "max_length num_beams beam_size chunk_size *_penalty",
);

const SCORE_WORDS = words(
  "score correct pass passed success accuracy acc em exact_match f1 bleu rating grade reward faithfulness groundedness relevance " +
    "relevancy similarity precision recall coherence fluency correctness toxicity hit mrr ndcg win preference",
);
const SCORE_BEGINS = ["rouge", "is_", "judge"];

/** Measures of other kinds, and what counts or names things. */
const NO_SCORES = words(
  "id *_id *_idx *_index *_count *_length *_tokens *_ms *_threshold index idx count length tokens line_number turn *_turn " +
    "time *_time *_at date *_date timestamp *_timestamp *_seconds *_secs *_sec seconds duration *_duration elapsed *_elapsed " +
    "latency *_latency price prices *_price cost *_cost *_usd total totals total_* *_total *_totals *_std *_stderr *_stderr_* " +
    "num_* n_* max_score *_score_max",
);
/** What was answered; whether it is right may be a score: `is_correct_answer`. */
const NAMES_OF_ANSWERS = words("*_answer *_option *_choice *_label *_class *_text *_response");
const NO_SCORE_BEGINS = words("time_* duration_* elapsed_* latency_* price_* cost_*");

/** Whether a column is guessed to be a score: its name is one of these words, or has one of them. */
export function isScoreName(name: string): boolean {
  const plain = plainName(name);
  return (
    !isNoScore(name) &&
    (SCORE_BEGINS.some((begin) => plain.startsWith(begin)) ||
      SCORE_WORDS.some((word) => `_${plain}_`.includes(`_${word}_`)))
  );
}

/** Whether a column is named by what an answer is or is not: a number above 1 in it is no score. */
export function isTruthName(name: string): boolean {
  return /^(?!.*(\d|%|rate|ratio|pct|percent|score|mean|avg)).*(^|_)(correct|pass|passed|success|hit|win)(_|$)/.test(
    plainName(name) + (name.includes("%") ? "%" : ""),
  );
}

/** Whether a column is never guessed to be a score, whatever it holds. */
export function isNoScore(name: string): boolean {
  const plain = plainName(name);
  const fits = (pattern: string) => fitsPattern(plain, pattern);
  const isAnswer =
    [...GUESSES.expected, ...GUESSES.output, ANSWER].includes(plain) ||
    (NAMES_OF_ANSWERS.some(fits) && !/^(is|has)_/.test(plain));
  return (
    isAnswer ||
    NO_SCORES.some(fits) ||
    isParameter(name) ||
    (NO_SCORE_BEGINS.some(fits) && !endsAsScore(plain))
  );
}

/** Whether the name ends in a word of scores: `judge_reason` does not. */
export function endsAsScore(name: string): boolean {
  const plain = plainName(name);
  return (
    SCORE_WORDS.some((word) => `_${plain}`.endsWith(`_${word}`)) || /(^|_)(judge|rouge)[^_]*$/.test(plain)
  );
}

export function isParameter(name: string): boolean {
  const plain = plainName(name);
  return PARAMETERS.some((pattern) => fitsPattern(plain, pattern));
}

/** Units that names of columns end in, and what a number of them is multiplied with and divided by to be seconds or US dollars. */
const UNITS: readonly (readonly [pattern: RegExp, times: number, over: number])[] = [
  [/_(ms|msecs?|millis|milliseconds?)$/, 1, 1000],
  [/_(us|usecs?|micros|microseconds?)$/, 1, 1e6],
  [/_(ns|nsecs?|nanos|nanoseconds?)$/, 1, 1e9],
  [/_(mins|minutes?)$/, 60, 1],
  [/_(h|hrs?|hours?)$/, 3600, 1],
  [/_cents?$/, 1, 100],
];

/** The seconds or US dollars of a number in a column. */
export function inUnits(value: number, column: string): number {
  const plain = plainName(column);
  const [, times, over] = UNITS.find(([pattern]) => pattern.test(plain)) ?? [null, 1, 1];
  return (value * times) / over;
}

/** The currency that the name of a column ends in; null where it says none, or US dollars. */
export function currencyIn(column: string): string | null {
  return /_(eur|gbp|chf|jpy|cny|inr)$/.exec(plainName(column))?.[1]?.toUpperCase() ?? null;
}

export const METRIC_NAMES = ["metric", "scorer", "metric_name", "criterion"];
export const VALUE_NAMES = ["value", "score", "result"];

/** Columns that fit the first of these names that any column fits. */
export function firstFitting(columns: readonly string[], names: readonly string[]): string[] {
  for (const name of names) {
    const found = columns.filter((column) => fitsPattern(plainName(column), name));
    if (found.length > 0) return found;
  }
  return [];
}

/** Whether a text fits a pattern in which `*` stands for any characters. */
export function fitsPattern(text: string, pattern: string): boolean {
  const [begin = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return text === pattern;
  if (!text.startsWith(begin)) return false;
  let at = begin.length;
  const end = rest.pop() ?? "";
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - end.length >= at && text.endsWith(end);
}

/** The flag of a role, as the command has it. */
export function flagOf(role: keyof TableMapping): string {
  if (role === "modelColumns") return "--model-columns";
  if (["match", "decimal", "records"].includes(role)) return `--${role}`;
  return role.endsWith("Name") ? `--${role.slice(0, -4)}` : `--${role}-column`;
}
