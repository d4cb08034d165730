import { z } from "zod";
import { textList } from "../../model/arguments.ts";
import type { RecordStore, Session } from "../../store/session.ts";
import { authorize, meaningFault, notFound, readRequest } from "../request/read-request.ts";
import type { WeaveCaller } from "../request/seam.ts";
import { createHold, writeListAnswer } from "../request/long-answers.ts";
import { EvalcubeError } from "../../errors.ts";
import { itemTexts, memberTexts } from "../../model/member-texts.ts";
import type { Turns } from "../../model/turns.ts";
import { wholeText } from "../../texts/whole-texts.ts";
import { findVersion } from "../objects/versions.ts";
import { readRowValues } from "../tables/stored-rows.ts";
import { readRowDigests } from "../tables/stored-tables.ts";

const MOST_REFERENCES = 1000;

export const readReferencesRequest = z.looseObject({ refs: textList }).meta({ id: "WeaveReferences" });
export const referencesReply = z.object({ vals: z.array(z.unknown()) }).meta({ id: "WeaveReferencesReply" });

/** Reads what references lead to. Requests and answers are JSON texts. */
export interface WeaveReferences {
  /**
   * The values of up to 1,000 references, in order, in pieces; null for a path that leads nowhere. Rejects with
   * `not_found` before the first.
   */
  readonly readReferences: (request: string, caller: WeaveCaller) => AsyncGenerator<string, void, undefined>;
}

export function createReferences(store: RecordStore): WeaveReferences {
  return {
    readReferences: async function* (request, caller) {
      const { refs } = await readRequest(request, readReferencesRequest, caller);
      if (refs.length > MOST_REFERENCES)
        throw meaningFault(["refs"], `must be at most ${MOST_REFERENCES} references`);
      const references = refs.map(readReference);
      for (const projectId of new Set(references.map((one) => one.projectId))) authorize(caller, projectId);
      const values = await store.read(async (session) => {
        const resolver = createResolver(session, store.turns, (projectId) => isReadable(caller, projectId));
        const hold = createHold("refs", "ask for fewer at once");
        const found: string[] = [];
        for (const one of references) found.push(hold(await resolveReference(resolver, one)));
        return found;
      }, caller.signal);
      yield* writeListAnswer("vals", values);
    },
  };
}

function readReference(text: string, i: number): WeaveReference {
  const reference = parseWeaveReference(text);
  if (reference === null)
    throw meaningFault(["refs", i], "must be a reference such as weave:///acme/qa/object/sums:latest");
  if (reference.target.kind === "call") throw meaningFault(["refs", i], "must not be a reference to a call");
  return reference;
}

/** A value may refer to a project that the caller may not use: it leads nowhere then. */
function isReadable(caller: WeaveCaller, projectId: string): boolean {
  try {
    authorize(caller, projectId);
    return true;
  } catch {
    return false;
  }
}

/** A value on the way: JSON, or a table. Null leads nowhere. */
type Place = { readonly json: string } | { readonly projectId: string; readonly table: string } | null;

/** Reads values for one batch of references. */
interface Resolver {
  readonly session: Session;
  /** Whether a project may be read that a value on the way refers to. */
  readonly mayRead: (projectId: string) => boolean;
  readonly turns: Turns;
  /** Values of objects that were read before. */
  readonly objects: Map<string, string>;
  /** How many more references may be followed on the way. */
  left: number;
}

function createResolver(session: Session, turns: Turns, mayRead: Resolver["mayRead"]): Resolver {
  return { session, turns, mayRead, objects: new Map(), left: 0 };
}

/**
 * The JSON text of the value that a reference leads to, `null` where it leads nowhere. Throws `not_found` without the
 * object.
 */
async function resolveReference(resolver: Resolver, reference: WeaveReference): Promise<string> {
  resolver.left = MOST_FOLLOWED;
  const start = await targetOf(resolver, reference);
  const end = await walk(resolver, start, reference.path);
  if (end === null) return "null";
  return "json" in end ? end.json : "null";
}

/**
 * References that refer to each other in a circle lead nowhere. All are counted: two on the way to each make 2^n of n.
 */
const MOST_FOLLOWED = 100;

async function walk(resolver: Resolver, start: Place, path: readonly Step[]): Promise<Place> {
  let place = start;
  for (const step of path) {
    await resolver.turns.take();
    place = await followed(resolver, place);
    if (place === null) return null;
    place = await stepInto(resolver, place, step);
  }
  return place;
}

/** What a value refers to, where it is a reference itself. */
async function followed(resolver: Resolver, place: Place): Promise<Place> {
  if (place === null || !("json" in place) || !place.json.startsWith('"')) return place;
  const reference = parseWeaveReference(JSON.parse(place.json) as string);
  if (reference === null || reference.target.kind === "call") return place;
  if (resolver.left === 0 || !resolver.mayRead(reference.projectId)) return null;
  resolver.left--;
  try {
    const target = await targetOf(resolver, reference);
    return await followed(resolver, await walk(resolver, target, reference.path));
  } catch (error) {
    if (error instanceof EvalcubeError && error.code === "not_found") return null;
    throw error;
  }
}

async function targetOf(resolver: Resolver, { projectId, target }: WeaveReference): Promise<Place> {
  if (target.kind === "call") return null;
  if (target.kind === "table") return { projectId, table: target.digest };
  const name = `${target.name}:${target.version}`;
  const key = JSON.stringify([projectId, name]);
  const known = resolver.objects.get(key);
  if (known !== undefined) return { json: known };
  const found = await findVersion(resolver.session, projectId, target.name, target.version);
  if (found === undefined) throw notFound(`object ${JSON.stringify(name)}`);
  const json = found.val ?? "null";
  resolver.objects.set(key, json);
  return { json };
}

async function stepInto(
  { session }: Resolver,
  place: Exclude<Place, null>,
  { edge, part }: Step,
): Promise<Place> {
  if ("json" in place) return stepIntoJson(place.json, edge, part);
  const { projectId, table } = place;
  const isRow = (digest: string | undefined) => (edge === "id" ? digest === part : digest !== undefined);
  const at = edge === "index" ? Number(part) : 0;
  if (edge !== "id" && !(edge === "index" && /^\d{1,9}$/.test(part))) return null;
  const digests = await readRowDigests(session, projectId, table, at, edge === "index" ? at + 1 : undefined);
  const digest = digests.find(isRow);
  if (digest === undefined) return null;
  const json = (await readRowValues(session, projectId, [digest])).get(digest);
  return json === undefined ? null : { json: await wholeText(session, json) };
}

function stepIntoJson(json: string, edge: Step["edge"], part: string): Place {
  const isMember = edge === "attr" || edge === "key";
  if (isMember && json.startsWith("{")) return placeOf(memberTexts(json).get(part));
  const isItem = edge === "index" && /^\d{1,9}$/.test(part);
  return isItem && json.startsWith("[") ? placeOf(itemTexts(json)[Number(part)]) : null;
}

function placeOf(json: string | undefined): Place {
  return json === undefined ? null : { json };
}

/** A reference to an object, op, table or call, and the way from there to a value inside. */
interface WeaveReference {
  readonly projectId: string;
  readonly target:
    | { readonly kind: "object"; readonly name: string; readonly version: string }
    | { readonly kind: "table"; readonly digest: string }
    | { readonly kind: "call"; readonly id: string };
  readonly path: readonly Step[];
}

/** `attr` and `key` name a member of an object, `index` an item of a list, `id` a row of a table by its digest. */
interface Step {
  readonly edge: "attr" | "key" | "index" | "id";
  readonly part: string;
}

const REFERENCE =
  /^[A-Za-z][A-Za-z0-9+.-]*:\/\/\/([^/]+\/[^/]+)\/(?:(?:object|op)\/([^/:]+):([^/]+)|table\/([^/]+)|call\/([^/]+))((?:\/[^/]+\/[^/]*)*)$/s;

const EDGES: ReadonlySet<string> = new Set(["attr", "key", "index", "id"]);

/** Null when the text is no reference. The parts of the path are percent-decoded, names are taken as they stand. */
function parseWeaveReference(text: string): WeaveReference | null {
  const match = REFERENCE.exec(text);
  if (match === null) return null;
  const [, projectId = "", name, version = "", table, call, tail = ""] = match;
  const path = stepsOf(tail);
  if (path === null) return null;
  if (name !== undefined) return { projectId, target: { kind: "object", name, version }, path };
  if (table !== undefined) return { projectId, target: { kind: "table", digest: table }, path };
  return { projectId, target: { kind: "call", id: call ?? "" }, path };
}

function stepsOf(tail: string): Step[] | null {
  const parts = tail.split("/").slice(1);
  const steps: Step[] = [];
  for (let i = 0; i < parts.length; i += 2) {
    const edge = parts[i] ?? "";
    const part = decoded(parts[i + 1] ?? "");
    if (!isEdge(edge) || part === null) return null;
    steps.push({ edge, part });
  }
  return steps;
}

function isEdge(text: string): text is Step["edge"] {
  return EDGES.has(text);
}

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}
