import { type InputPath, withIssues } from "../errors.ts";
import { nearestWords } from "./nearest.ts";
import { quotedName } from "./name-text.ts";
import { STEP_NUMBERS } from "./steps.ts";

/**
 * A field of a request: `scores.judge.correct`, `inputs.question`, `row_digest`. `error` is the text by which the error
 * of a trial is grouped, none where it went well.
 */
export interface FieldPath {
  readonly root:
    | "scores"
    | "inputs"
    | "outputs"
    | "output"
    | "row_digest"
    | "error"
    | "steps"
    | "row"
    | "stop_reason";
  /** Path below the root. `scores`: the scorer key first. Empty where the root is a field itself. */
  readonly segments: readonly string[];
}

/** A field that rows are sorted by, as in filters; `\\.` is a dot within a name. */
export type RowField =
  | `scores.${string}`
  | `inputs.${string}`
  | `outputs.${string}`
  | `output.${string}`
  | `steps.${string}`
  | "row.difficulty"
  | `row.difficulty.${string}`
  | "row_digest"
  | "stop_reason";

/** A field of the dataset row. */
export type InputField = `inputs.${string}`;

type ByOne =
  | "auto"
  | "evaluation"
  | "model"
  | InputField
  | "row.difficulty"
  | `row.difficulty.${string}`
  | `attributes.${string}`
  | `output.details.${string}`;

/** What is sliced by: fields of the row or of the calls of its trials, and the words that a request knows. */
export type By = ByOne | readonly ByOne[];

/** Slices of rows by what they took in one evaluation. */
export interface UsageBy {
  /** `steps.count` or another number of steps, `total_tokens`, `latency_seconds` or `cost`; a row's is its mean. */
  readonly usage: string;
  /** How many slices: 2 to 10, default 3. */
  readonly bins?: number | null | undefined;
  /**
   * The evaluation that says what a row takes. Default: the run before the baseline (`previous`), else the baseline.
   * Where it is one of two that are compared, nothing is judged of their slices.
   */
  readonly of?: string | null | undefined;
}

/** Whether a member `by` asks for slices by what rows took. */
export function isByUsage(by: unknown): by is UsageBy {
  return typeof by === "object" && by !== null && "usage" in by;
}

/** Whether a member `by`, which is not checked yet, asks for models. */
export function isByModel(by: unknown): boolean {
  return by === "model" || (Array.isArray(by) && by.includes("model"));
}

/** The longest text of a field, in UTF-16 code units. */
export const MOST_FIELD_CHARACTERS = 1024;
/** The most parts of a field between its dots; its head, such as `scores`, is one. */
export const MOST_SEGMENTS = 100;

/** Splits at dots; `\.` is a literal dot. */
export function splitFieldPath(text: string): string[] {
  const segments: string[] = [""];
  for (let i = 0; i < text.length; i++) {
    const c = text.charAt(i);
    if (c === "\\" && text.charAt(i + 1) === ".") {
      segments[segments.length - 1] += ".";
      i++;
    } else if (c === ".") segments.push("");
    else segments[segments.length - 1] += c;
  }
  return segments;
}

/** The field that a text names, or why it names none; `heads` are those that it may lack. */
export function parseFieldPath(
  text: string,
  heads: readonly string[] = ["scores", "inputs"],
): FieldPath | { readonly error: string } {
  const [root = "", ...segments] = splitFieldPath(text);
  if (isWholeField(root) && segments.length === 0) return { root, segments };
  if (root === "steps") {
    const fault = stepFault(segments);
    return fault === null ? { root, segments } : { error: fault };
  }
  if (root === "row" && segments[0] === "difficulty") return { root, segments };
  if (root !== "scores" && root !== "inputs" && root !== "outputs" && root !== "output") {
    const [near] = nearestWords(root, ROOTS, 1);
    const meant = near === undefined ? heads.map((head) => [head, root]) : [[near]];
    const names = meant.map((path) => quotedName(fieldText([...path, ...segments]))).join(" or ");
    const isOther = root === "" || root === "attributes" || near === root;
    const said = isOther ? "" : `; did you mean ${names}?`;
    const rule = "; fields begin with scores., inputs., outputs. or output.";
    return {
      error: `unknown field ${JSON.stringify(text)}${near === undefined || isOther ? rule : ""}${said}`,
    };
  }
  if (segments.length === 0 || (segments.length === 1 && segments[0] === "")) {
    return { error: `${JSON.stringify(text)} names no member; write for example "${root}.name"` };
  }
  return { root, segments };
}

const WHOLE_FIELDS = ["row_digest", "error", "stop_reason"] as const;
const ROOTS = ["scores", "inputs", "outputs", "output", ...WHOLE_FIELDS, "steps"];

/** Whether a root is a field itself, below which nothing is. */
export function isWholeField(root: string): root is (typeof WHOLE_FIELDS)[number] {
  return WHOLE_FIELDS.some((name) => name === root);
}

/** An RFC 6901 JSON pointer: a whole-number segment indexes an array or names a member. */
export function jsonPointer(segments: readonly string[]): string {
  return segments.map((segment) => `/${segment.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** The segments of such a pointer. */
export function pointerSegments(pointer: string): string[] {
  const segments = pointer.split("/").slice(1);
  return segments.map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Segments as one text, the dots within them escaped. */
export function fieldText(segments: readonly string[]): string {
  return segments.map((segment) => segment.replaceAll(".", "\\.")).join(".");
}

/**
 * A score dimension as answers name it: the scorer, and the members below it, joined by dots; null where there are
 * none.
 */
export function scorePlace([scorer_key = "", ...rest]: readonly string[]) {
  return { scorer_key, path: rest.length === 0 ? null : rest.join(".") };
}

/** What is counted of one tool: `tool.<name>.calls`. */
const OF_TOOL = new Set(["calls", "errors"]);

/** All that is counted of steps, as fields, where these tools are called. */
export function stepFieldNames(tools: Iterable<string>): string[] {
  const ofTools = [...tools].flatMap((name) => Array.from(OF_TOOL, (last) => ["tool", name, last]));
  return [...STEP_NUMBERS.map((name) => [name]), ...ofTools].map((one) => fieldText(["steps", ...one]));
}

/** Whether the name of a score may be that of a number of steps. */
export function isStepScore(name: string): boolean {
  return /^(?:evalcube\.)?steps(?:\.|$)/.test(name);
}

/** The name of a score, and where it was given. */
export interface GivenName {
  readonly name: string;
  readonly loc: InputPath;
}

type Names = readonly string[] | string | null | undefined;

/** Those of the names of scores that may be numbers of steps, each once; `given` has them by member. */
export function stepScores(given: Readonly<Record<string, Names>>): GivenName[] {
  const all = Object.entries(given).flatMap(([member, names]): GivenName[] => {
    if (typeof names === "string") return [{ name: names, loc: [member] }];
    return (names ?? []).map((name, i) => ({ name, loc: [member, i] }));
  });
  const steps = all.filter(({ name }) => isStepScore(name));
  return steps.filter(({ name }, i) => steps.findIndex((one) => one.name === name) === i);
}

/** The member of a request that has such names. */
export function stepMember(given: readonly GivenName[]): { readonly step_scores?: readonly string[] } {
  return given.length === 0 ? {} : { step_scores: given.map(({ name }) => name) };
}

/** Asks with that member. A fault of a name is said of where it was given. */
export async function askSteps<T>(given: readonly GivenName[], ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw withIssues(error, (issue) => {
      const [member, i] = issue.loc;
      if (member !== "step_scores") return issue;
      const loc = typeof i === "number" ? given[i]?.loc : given[0]?.loc.slice(0, 1);
      return { ...issue, loc: loc ?? issue.loc };
    });
  }
}

/** Why these names below `steps`, or below another root, count nothing; null where they do. */
export function stepFault(segments: readonly string[], root = "steps"): string | null {
  const [first = "", , last = ""] = segments;
  if (segments.length === 1 && STEP_NUMBERS.some((name) => name === first)) return null;
  if (segments.length === 3 && first === "tool" && OF_TOOL.has(last)) return null;
  const said = `${quotedName([root, fieldText(segments)].join("."))} counts nothing`;
  if (first === "tool") return `${said}; a tool has ${root}.tool.<name>.calls and ${root}.tool.<name>.errors`;
  const known = STEP_NUMBERS.map((number) => `${root}.${number}`);
  const near = nearStep(fieldText(segments), root);
  return `${said}; there are ${known.join(", ")} and ${root}.tool.<name>.calls${near}`;
}

/** Why a name that does not begin with `steps.` is no number of steps. */
export function noStepName(name: string): string {
  const segments = splitFieldPath(name);
  const known = stepFieldNames([]).join(", ");
  const whole = JSON.stringify(fieldText(["steps", ...segments]));
  const near = stepFault(segments) === null ? `; did you mean ${whole}?` : nearStep(segments.at(-1) ?? "");
  const rule = `their numbers begin with steps., as ${known} and steps.tool.<name>.calls`;
  return `${quotedName(name)} counts nothing of steps; ${rule}${near}`;
}

function nearStep(name: string, root = "steps"): string {
  const [near] = nearestWords(name, STEP_NUMBERS, 1);
  return near === undefined ? "" : `; did you mean ${JSON.stringify(`${root}.${near}`)}?`;
}
