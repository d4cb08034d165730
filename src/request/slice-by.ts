import { z } from "zod";
import type { InputPath } from "../errors.ts";
import { fieldName } from "../model/arguments.ts";
import { fieldText, jsonPointer, splitFieldPath, stepFault, type By } from "../model/field-path.ts";
import { didYouMean } from "../model/nearest.ts";
import type { Key } from "../model/digest.ts";
import { meaningless } from "./meaningless.ts";
import { nameText, quotedName } from "../model/name-text.ts";
import type { EvaluationName } from "./evaluation-name.ts";
import { PREVIOUS } from "./find-evaluation.ts";

/**
 * A field whose values are slices: of the row, of the call of its trials, of what a trial says of itself, or of what
 * the row took in a run.
 */
export interface SliceField {
  /** As it was named. */
  readonly name: string;
  readonly root: "inputs" | "attributes" | "output" | "usage" | "row";
  /** Path below the root; below `output` it begins with `details`. */
  readonly segments: readonly string[];
  /** A JSON pointer into the row, the attributes of the call, or its output. */
  readonly pointer: string;
  /** What is known of rows, of `row` alone, once it is read. */
  readonly numbers?: { readonly keys: string; readonly numbers: string };
  /** The slices of rows, of `usage` alone: which each is in, from 1, of how many, by which run. */
  readonly placed?: {
    readonly rowKeys: readonly Key[];
    readonly slices: readonly number[];
    readonly bins: number;
    readonly of: string;
  };
}

/** `UsageBy` after it is checked. */
export interface UsageAsked<Evaluation = string> {
  readonly name: string;
  readonly measure: "total_tokens" | "latency_seconds" | "cost" | { readonly steps: readonly string[] };
  readonly bins: number;
  /** null for the run before the baseline. */
  readonly of: Evaluation | null;
}

/** Whether slices by these fields are of trials, and not of rows: they describe, since their values are outcomes. */
export function isOfTrials(fields: readonly Pick<SliceField, "root">[]): boolean {
  return fields.some(({ root }) => root === "output");
}

/** Which slices are wanted. */
export interface SlicesAsked<Evaluation = string> {
  /** One or two, none with `usage`; null: the field that tells most is chosen. */
  readonly fields: readonly SliceField[] | null;
  /** What rows took; null where fields make the slices. */
  readonly usage: UsageAsked<Evaluation> | null;
  /** How many slices are judged, those with most rows. */
  readonly most: number;
}

const MOST_FIELDS = 2;
/** Fields, and the words `evaluation`, `model` and `auto`. */
const MOST_NAMED = 5;
const USUAL_SLICES = 20;
const MOST_SLICES = 200;
const UNITS = ["evaluation", "model"] as const;

/** The members of a request that ask for slices. */
export const sliceWire = {
  by: (
    z.union([fieldName, z.array(fieldName).min(1).max(MOST_NAMED)]) as z.ZodType as z.ZodType<By, By>
  ).nullish(),
  max_slices: z.int().min(1).max(MOST_SLICES).nullish(),
};

/** What else than fields a member `by` may hold. */
type Word = (typeof UNITS)[number] | "auto";

/**
 * Reads `by`: one or two fields, and of the words those that the request knows; `slices` is null where no field is
 * named. Throws `RequestError` on another word, too many fields and what does not go together.
 */
export function readBy(
  { by, max_slices: most }: z.output<z.ZodObject<typeof sliceWire>>,
  words: readonly Word[],
): { readonly unit: "evaluation" | "model"; readonly slices: SlicesAsked<never> | null } {
  const texts = by == null ? [] : typeof by === "string" ? [by] : by;
  const named = texts.map((text, i) => ({ text, loc: typeof by === "string" ? ["by"] : ["by", i] }));
  const isWord = ({ text }: { readonly text: string }) => words.some((word) => word === text);
  const said = named.filter(isWord);
  const fields = named.filter((one) => !isWord(one)).map(({ text, loc }) => readSliceField(text, loc, words));
  const auto = said.find(({ text }) => text === "auto");
  const [unit, another] = said.filter((one) => one !== auto);
  if (another !== undefined) throw meaningless(another.loc, `${unit?.text} is named already`);
  if (auto !== undefined && fields.length > 0)
    throw meaningless(auto.loc, "auto chooses the field; leave it or the fields out");
  const repeated = fields.findIndex(({ pointer, root }, i) =>
    fields.slice(0, i).some((one) => one.pointer === pointer && one.root === root),
  );
  if (repeated !== -1) throw meaningless(["by"], `${nameText(fields[repeated]?.name ?? "")} is named twice`);
  if (fields.length > MOST_FIELDS)
    throw meaningless(["by"], `slices are of one field or of ${MOST_FIELDS}, not of ${fields.length}`);
  const none = auto === undefined && fields.length === 0;
  if (none && most != null)
    throw meaningless(["max_slices"], "goes with by: a field, such as inputs.topic, alone");
  return {
    unit: unit?.text === "model" ? "model" : "evaluation",
    slices: none
      ? null
      : { fields: auto === undefined ? fields : null, usage: null, most: most ?? USUAL_SLICES },
  };
}

const USUAL_BINS = 3;

/** A member `by` that asks for slices by what rows took. */
export const usageWire = z.strictObject({
  usage: fieldName,
  bins: z.int().min(2).max(10).nullish(),
  of: z.string().nullish(),
});

const MEASURES = ["total_tokens", "latency_seconds", "cost"] as const;

/** Reads what rows took. Throws `RequestError` on a name of nothing. */
export function readUsageBy(
  { usage: name, bins, of }: z.output<typeof usageWire>,
  most: number | null | undefined,
): SlicesAsked<EvaluationName> {
  if (most != null)
    throw meaningless(["max_slices"], "does not go together with by.usage, whose slices bins counts");
  const count = bins ?? USUAL_BINS;
  const evaluation = of == null || of === PREVIOUS ? null : { text: of, place: ["by", "of"] };
  const usage = { name, measure: readMeasure(name), bins: count, of: evaluation };
  return { fields: [], usage, most: count };
}

function readMeasure(name: string): UsageAsked["measure"] {
  const known = MEASURES.find((one) => one === name);
  if (known !== undefined) return known;
  const [root, ...segments] = splitFieldPath(name);
  const fault = root === "steps" ? stepFault(segments) : null;
  if (root === "steps" && fault === null) return { steps: segments };
  const names = [...MEASURES, "steps.count"];
  const said = `${quotedName(name)} is nothing that rows take; there are ${names.join(", ")} and what else steps count`;
  throw meaningless(["by", "usage"], fault ?? `${said}${didYouMean(name, names)}`);
}

function readSliceField(name: string, loc: InputPath, words: readonly Word[]): SliceField {
  const [root = "", ...segments] = splitFieldPath(name);
  const ofTrial = root === "output" && segments[0] === "details";
  const isBelow = segments.slice(ofTrial ? 1 : 0).some((segment) => segment !== "");
  const isCompared = words.includes("auto");
  if (ofTrial && isBelow && isCompared)
    throw meaningless(
      loc,
      `slices by ${nameText(name)} describe trials and cannot be compared: its values are outcomes; a query and a leaderboard tell them`,
    );
  const isDifficulty = root === "row" && segments[0] === "difficulty";
  if ((root === "inputs" || root === "attributes" || ofTrial || isDifficulty) && isBelow)
    return { name: fieldText([root, ...segments]), root, segments, pointer: jsonPointer(segments) };
  const known = [
    ...words.map((word) => JSON.stringify(word)),
    "inputs.<path>",
    "attributes.<path>",
    ...(isCompared ? [] : ["output.details.<path>"]),
    "row.difficulty",
  ];
  const heads = ["inputs", "attributes"];
  const near =
    didYouMean(name, [...words, ...heads.map((head) => fieldText([head, ...segments]))]) ||
    `; did you mean ${quotedName(fieldText(["inputs", root, ...segments]))}?`;
  throw meaningless(
    loc,
    `there are no slices by ${JSON.stringify(name)}; there are ${known.join(", ")}${near}`,
  );
}
