import { createHash } from "node:crypto";
import { canonicalJson } from "../../model/digest.ts";
import type { Json } from "../../model/json.ts";

const LONGEST_BYTES = 200;
const HASH_CHARACTERS = 22;

/** The id of an evaluation's root call: a function of the format and of what identifies the run in the log. */
export function rootId(format: string, identity: string): string {
  return shortened(`${format}:`, escaped(identity));
}

/** The id of a trial's call. */
export function trialId(root: string, sample: string, trial = ""): string {
  const of = `${root}/${shortened("", escaped(sample))}`;
  return trial === "" ? of : `${of}/${shortened("", escaped(trial))}`;
}

/** The id of a call below a call, by a name of any length. */
export function childId(parent: string, name: string): string {
  return `${parent}/${shortened("", escaped(name))}`;
}

const OF_STEP = /\/step\/\d+(~\d+)?$/;

/** The id of the `at`-th step of a trial. */
export function stepId(trial: string, at: number): string {
  return `${trial}/step/${at}`;
}

/** The trial that a call of a run is, or lies below. */
export function trialOfCall(id: string, parent: string, root: string): string {
  if (parent === root) return id;
  return OF_STEP.test(id) ? id.replace(OF_STEP, "") : parent;
}

/** The hash that identifies what has no identity of its own. */
export function hashOf(parts: Json): string {
  return createHash("sha256").update(canonicalJson(parts)).digest("base64url").slice(0, HASH_CHARACTERS);
}

/** What the references to the dataset rows of a task begin with; the digest of a row ends them. */
export function rowReferences(projectId: string, format: string, task: string): string {
  const version = createHash("sha256")
    .update(canonicalJson([format, task]))
    .digest("base64url")
    .slice(0, 8);
  const name = task.replaceAll(/[%/:\p{Cc}]/gu, percent) || "rows";
  return `svc:///${projectId}/object/${name}:${version}/attr/rows/id/`;
}

/** Texts in which nothing is escaped: most ids. */
const PLAIN = /^[!-$&-.0-~ ]*$/;

function escaped(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.toWellFormed().replaceAll(/[%/\p{Cc}]|^\uFEFF/gu, percent);
}

function percent(character: string): string {
  return [...Buffer.from(character)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`)
    .join("");
}

function shortened(begin: string, text: string): string {
  const whole = `${begin}${text}`;
  if (Buffer.byteLength(whole) <= LONGEST_BYTES) return whole;
  return `${begin}${createHash("sha256").update(text).digest("base64url").slice(0, HASH_CHARACTERS)}`;
}
