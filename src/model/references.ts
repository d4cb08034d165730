import { isJsonObject, parseJson, writeJson, type Json, type JsonObject } from "./json.ts";
import { isDeeper } from "./json-bounds.ts";
import { MAX_JSON_DEPTH } from "./read-json.ts";

/** The parts of `<scheme>:///<entity>/<project>/{object|op|call}/<name or id>[:<digest>][/<path>]`. */
export interface Reference {
  readonly scheme: string;
  readonly projectId: string;
  readonly kind: "object" | "op" | "call";
  /** The object's or operation's name, or the call's id. */
  readonly name: string;
  /** Null on a call reference. */
  readonly digest: string | null;
  /** The path after the digest of an object reference, with its leading slash, or empty. */
  readonly path: string;
}

const REFERENCE =
  /^([A-Za-z][A-Za-z0-9+.-]*):\/\/\/([^/]+\/[^/]+)\/(?:(object|op)\/([^/:]+):([^/]+)((?:\/.*)?)|call\/([^/]+))$/s;

/** Null when the text is not a reference. Parts are not URL-decoded. */
export function parseReference(text: string): Reference | null {
  const match = REFERENCE.exec(text);
  if (match === null) return null;
  const [, scheme = "", projectId = "", kind, name, digest, path = "", callId] = match;
  if (callId !== undefined) return { scheme, projectId, kind: "call", name: callId, digest: null, path: "" };
  if (kind === "op" && path !== "") return null;
  return {
    scheme,
    projectId,
    kind: kind === "op" ? "op" : "object",
    name: name ?? "",
    digest: digest ?? "",
    path,
  };
}

const AGENT_REFERENCE = /^weave:\/\/\/([^/]+\/[^/]+)\/agent_(?:turn|conversation|span)\/[^/]+$/;

/**
 * The project of what feedback is on: of a reference, or of one to a turn, a conversation or a span of an agent; null
 * of another text.
 */
export function projectOfTarget(text: string): string | null {
  return parseReference(text)?.projectId ?? AGENT_REFERENCE.exec(text)?.[1] ?? null;
}

/** The name part of an op reference, else the whole string. */
export function operationName(opName: string): string {
  const reference = parseReference(opName);
  return reference?.kind === "op" ? reference.name : opName;
}

/** Whether calls of this op are evaluations and trials, whatever else they say. */
export const isTakenOp = (opName: string) => operationName(opName).startsWith("Evaluation.");

/** The name of a model: that of an object reference, else the whole text. */
export function modelName(modelRef: string): string {
  const reference = parseReference(modelRef);
  return reference?.kind === "object" ? reference.name : modelRef;
}

/** A version is shown as it is up to this length; a digest then by its beginning. */
const LONGEST_VERSION = 12;
const VERSION_SHOWN = 7;

/** What a reference is called: `set:v2`, and `set` where it states no version; another text is called by itself. */
export function referenceLabel(reference: string): string {
  const { name, version } = namedVersion(reference);
  return version === null ? name : `${name}:${shownVersion(version)}`;
}

export function shownVersion(version: string): string {
  return version.length > LONGEST_VERSION ? version.slice(0, VERSION_SHOWN) : version;
}

/** The name in a reference and the version that it states; `latest` and `*` state none. */
export function namedVersion(reference: string): { readonly name: string; readonly version: string | null } {
  const { name = reference, digest = null } = parseReference(reference) ?? {};
  return { name, version: digest === "latest" || digest === "*" ? null : digest };
}

/** What stands between the reference of a dataset and the digest of its row. */
export const ROW_MARK = "/attr/rows/id/";

/** The row digest at the end of a dataset-row reference; null when the text is not one. */
export function referencedRowDigest(example: string): string | null {
  const at = example.indexOf(ROW_MARK);
  if (at <= 0) return null;
  const tail = example.slice(at + ROW_MARK.length);
  return tail === "" || tail.includes("/") ? null : tail;
}

/** What the root call says about its evaluation. */
interface Root {
  readonly evaluationRef: string | null;
  readonly modelRef: string | null;
  readonly datasetRef: string | null;
  readonly displayName: string | null;
  readonly traceId: string | null;
  /** Null where there is none; an empty text is none. */
  readonly exception: string | null;
  readonly commit: string | null;
  readonly branch: string | null;
  /** What the file is called that it was imported from. */
  readonly file: string | null;
  /** JSON text; null where there are none. Those that are nested too deep for an answer to hold are one text. */
  readonly attributes: string | null;
}

/** Where attributes tell the commit and the branch of the code that ran; the first that has a text counts. */
const COMMIT = [["commit"], ["git_commit"], ["git.commit"], ["git", "commit"], ["revision"]];
const BRANCH = [["branch"], ["git_branch"], ["git.branch"], ["git", "branch"]];
const FILE = [["evalcube", "import", "file_name"]];

export function readRoot(record: string): Root {
  const members = parseJson(record) as JsonObject;
  const attributes = members["attributes"] ?? null;
  const inputs = isJsonObject(members["inputs"]) ? members["inputs"] : {};
  return {
    evaluationRef: textOrNull(inputs["self"]) ?? textOrNull(inputs["this"]),
    modelRef: textOrNull(inputs["model"]),
    datasetRef: textOrNull(inputs["dataset"]),
    displayName: textOrNull(members["display_name"]),
    traceId: textOrNull(members["trace_id"]),
    exception: textOrNull(members["exception"]) || null,
    commit: firstText(attributes, COMMIT),
    branch: firstText(attributes, BRANCH),
    file: firstText(attributes, FILE),
    attributes: attributes === null ? null : attributesText(writeJson(attributes)),
  };
}

/** Levels that answers have around attributes, and some to spare. */
const AROUND = 10;

function attributesText(text: string): string {
  return isDeeper(text, MAX_JSON_DEPTH - AROUND) ? JSON.stringify(text) : text;
}

function firstText(attributes: Json, places: readonly (readonly string[])[]): string | null {
  for (const place of places) {
    const found = place.reduce(
      (value: Json, name) => (isJsonObject(value) ? (value[name] ?? null) : null),
      attributes,
    );
    if (typeof found === "string" && found.trim() !== "") return found;
  }
  return null;
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** The op of a call that was an evaluation or a trial until more of its trace was known. */
export const WITHDRAWN_OP = "evalcube.withdrawn";
