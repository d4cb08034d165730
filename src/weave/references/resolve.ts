import { EvalcubeError } from "../../errors.ts";
import { itemTexts, memberTexts } from "../../model/member-texts.ts";
import type { Turns } from "../../model/turns.ts";
import type { Session } from "../../store/session.ts";
import { findVersion } from "../objects/versions.ts";
import { notFound } from "../request/read-request.ts";
import { readRowValues } from "../tables/stored-rows.ts";
import { readRowDigests } from "../tables/stored-tables.ts";
import { parseWeaveReference, type Step, type WeaveReference } from "./reference.ts";

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

export function createResolver(session: Session, turns: Turns, mayRead: Resolver["mayRead"]): Resolver {
  return { session, turns, mayRead, objects: new Map(), left: 0 };
}

/** The JSON text of the value that a reference leads to, `null` where it leads nowhere. Throws `not_found` without the object. */
export async function resolveReference(resolver: Resolver, reference: WeaveReference): Promise<string> {
  resolver.left = MOST_FOLLOWED;
  const start = await targetOf(resolver, reference);
  const end = await walk(resolver, start, reference.path);
  if (end === null) return "null";
  return "json" in end ? end.json : "null";
}

/** References that refer to each other in a circle lead nowhere. All are counted: two on the way to each make 2^n of n. */
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
  return json === undefined ? null : { json };
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
