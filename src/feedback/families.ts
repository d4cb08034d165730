import { requestFault, type InputPath } from "../errors.ts";
import { parseReference, projectOfTarget, type Reference } from "../model/references.ts";
import type { ParsedFeedback } from "./record.ts";

const ANNOTATION = "svc.annotation.";
const RUNNABLE = "svc.runnable.";
const MAX_NOTE = 1024;

/** Types whose feedback a runnable may give, with a payload of any form. */
const AGENTS: ReadonlySet<string> = new Set(["wandb.agent_monitor", "wandb.agent_user_feedback"]);

/** One emoji as fonts show it, or one that lacks only its variation selectors. */
const EMOJI = String.raw`^(?:\p{RGI_Emoji}|\p{Extended_Pictographic}(?:\u200d\p{Extended_Pictographic})*)$`;

/** Made by the first reaction, since that takes 30 ms. */
let emojiPattern: RegExp | null = null;

function isEmoji(text: string): boolean {
  emojiPattern ??= new RegExp(EMOJI, "v");
  return emojiPattern.test(text);
}

/** Throws `RequestError` of kind `meaning` on a record that breaks the rules of its feedback type. */
export function checkFeedback(record: ParsedFeedback): void {
  checkProjects(record);
  checkStrayReferences(record);
  const { feedback_type: type } = record;
  if (type === "svc.reaction.1") return checkReaction(record);
  if (type === "svc.note.1") return checkNote(record);
  if (type.startsWith(ANNOTATION)) return checkAnnotation(record, type.slice(ANNOTATION.length));
  if (type.startsWith(RUNNABLE)) return checkRunnable(record, type.slice(RUNNABLE.length));
  if (AGENTS.has(type)) return checkRunnableKinds(record);
  if (type.startsWith("svc.")) refuse(["feedback_type"], "types that begin with 'svc.' are reserved");
}

const REFERENCES = ["svc_ref", "annotation_ref", "runnable_ref", "call_ref", "trigger_ref"] as const;

function checkProjects(record: ParsedFeedback): void {
  for (const name of REFERENCES) {
    const projectId = projectOfTarget(record[name] ?? "");
    if (projectId !== null && projectId !== record.project_id) {
      refuse([name], `must refer to something in the project ${record.project_id}`);
    }
  }
}

function checkStrayReferences(record: ParsedFeedback): void {
  const { feedback_type: type } = record;
  if (!type.startsWith(ANNOTATION)) forbid(record, "annotation_ref", `${ANNOTATION}*`);
  if (type.startsWith(RUNNABLE) || AGENTS.has(type)) return;
  for (const name of ["runnable_ref", "call_ref", "trigger_ref"] as const)
    forbid(record, name, `${RUNNABLE}*`);
}

function forbid(record: ParsedFeedback, name: (typeof REFERENCES)[number], types: string): void {
  if (referenceIn(record, name) !== undefined) refuse([name], `is for the types ${types} only`);
}

function checkReaction({ payload }: ParsedFeedback): void {
  const emoji = payload["emoji"];
  if (typeof emoji !== "string" || !isEmoji(emoji)) refuse(["payload", "emoji"], "must be exactly one emoji");
}

function checkNote({ payload }: ParsedFeedback): void {
  const note = payload["note"];
  const length = typeof note === "string" ? Array.from(note).length : 0;
  if (length < 1 || length > MAX_NOTE) refuse(["payload", "note"], `must be 1 to ${MAX_NOTE} characters`);
}

function checkAnnotation(record: ParsedFeedback, name: string): void {
  const reference = referenceIn(record, "annotation_ref");
  if (name === "" || reference?.kind !== "object" || reference.name !== name) {
    refuse(["annotation_ref"], `must be an object reference with the name ${JSON.stringify(name)}`);
  }
  if (!Object.hasOwn(record.payload, "value")) refuse(["payload", "value"], "required by this feedback type");
}

function checkRunnable(record: ParsedFeedback, name: string): void {
  const reference = referenceIn(record, "runnable_ref");
  if (name === "" || reference === undefined || reference.kind === "call" || reference.name !== name) {
    refuse(["runnable_ref"], `must be an op or object reference with the name ${JSON.stringify(name)}`);
  }
  if (referenceIn(record, "call_ref") === undefined && reference.kind === "op")
    refuse(["call_ref"], "required when runnable_ref is an op");
  checkRunnableKinds(record);
  if (!Object.hasOwn(record.payload, "output"))
    refuse(["payload", "output"], "required by this feedback type");
}

function checkRunnableKinds(record: ParsedFeedback): void {
  if (referenceIn(record, "runnable_ref")?.kind === "call")
    refuse(["runnable_ref"], "must be an op or object reference");
  const call = referenceIn(record, "call_ref");
  if (call !== undefined && call.kind !== "call") refuse(["call_ref"], "must be a call reference");
  const trigger = referenceIn(record, "trigger_ref");
  if (trigger !== undefined && trigger.kind !== "object")
    refuse(["trigger_ref"], "must be an object reference");
}

function referenceIn(record: ParsedFeedback, name: (typeof REFERENCES)[number]): Reference | undefined {
  const text = record[name];
  return typeof text === "string" ? (parseReference(text) ?? undefined) : undefined;
}

function refuse(loc: InputPath, msg: string): never {
  throw requestFault("meaning", loc, msg, "invalid_feedback");
}
