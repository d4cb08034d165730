import { compileTried } from "../../compile/catalog/evaluations.ts";
import {
  compileFieldPresence,
  compileFirstKind,
  compileLeafKinds,
  compileSampledDocuments,
  compileSampledField,
  compileSampledRows,
  type FieldScope,
  type JsonField,
  type Sample,
} from "../../compile/catalog/field-presence.ts";
import { isJsonObject, type Json } from "../../model/json.ts";
import { locateField } from "../../plan/build-plan.ts";
import { fieldUses, type FieldUse } from "../../plan/field-uses.ts";
import { heldByTrials, meantPaths, missingField, unfulfilled } from "../../plan/field-warnings.ts";
import type { VirtualLeaf } from "../../plan/plan.ts";
import type { CatalogPath } from "../../plan/query-catalog.ts";
import type { EvalRequest } from "../../request/eval-request.ts";
import { leavesOf } from "../../model/score-expression.ts";
import type { Key } from "../../model/digest.ts";
import type { Session } from "../../store/session.ts";
import type { Ask } from "./asked-once.ts";

/** What is known of the project and of the requested evaluations. */
interface Known extends FieldScope {
  readonly paths: readonly CatalogPath[];
  readonly leaves: readonly VirtualLeaf[];
}

/**
 * Warns of fields that no trial of the requested evaluations has, and of comparisons that hold for no kind of value.
 */
export async function readFieldWarnings(
  session: Session,
  ask: Ask,
  request: EvalRequest,
  known: Known,
): Promise<string[]> {
  if (known.evaluationKeys.length === 0) return [];
  const places = new Map(known.paths.map((one) => [JSON.stringify(one.path), one]));
  const warnings: string[] = [];
  for (const use of [...fieldUses(request), ...derivedUses(known)]) {
    const source = locateField(use.field, places);
    if (source.kind === "digest" || source.kind === "error" || source.kind === "stop_reason") continue;
    if (source.kind === "leaf") {
      const found = await leafWarning(ask, known, use, source.pathKey);
      if (found !== null) warnings.push(found);
    } else if (source.kind === "missing" || !(await isAnywhere(ask, known, source))) {
      const own = source.kind === "input" ? await detailWith(ask, known, use.field.segments) : null;
      if (own !== null) {
        warnings.push(heldByTrials(use, own));
        continue;
      }
      const paths = source.kind === "missing" ? null : await sampledPaths(session, ask, known, source);
      warnings.push(await missing(ask, known, use, paths));
    }
  }
  const isTried = warnings.length > 0 && (await session.all(compileTried(known.evaluationKeys))).length > 0;
  return isTried ? warnings : [];
}

/** The stored dimensions that derived scores read. */
function derivedUses({ leaves, paths }: Known): FieldUse[] {
  const byKey = new Map(paths.map((one) => [one.key, one]));
  return leaves.flatMap((leaf) => {
    if (leaf.kind !== "derived" && leaf.kind !== "consensus") return [];
    const keys = leaf.kind === "derived" ? leavesOf(leaf.expression) : leaf.of;
    return [...new Set(keys)].flatMap((key) => {
      const segments = byKey.get(key)?.path ?? [];
      const part = `derived_scores.${leaf.path.join(".")}`;
      return key < 0 ? [] : [{ part, field: { root: "scores" as const, segments }, comparisons: [] }];
    });
  });
}

async function leafWarning(ask: Ask, known: Known, use: FieldUse, pathKey: number): Promise<string | null> {
  // The values of a virtual dimension are computed: looking for one would cost as much as the answer.
  if (pathKey < 0) return null;
  const first = await ask(compileFirstKind(known, pathKey));
  if (first.length === 0) return await missing(ask, known, use, null);
  if (unfulfilled(use, first) === null) return null;
  return unfulfilled(use, await ask(compileLeafKinds(known, pathKey)));
}

async function isAnywhere(ask: Ask, known: Known, field: JsonField): Promise<boolean> {
  const rows = await sampledRows(ask, known, field, "any");
  const [sampled] = await ask(compileSampledField(known, field, rows));
  return sampled?.present === true || (await ask(compileFieldPresence(known, field))).length > 0;
}

/** Where trials have what no row has: among their details, or there in what their own row says otherwise. */
async function detailWith(
  ask: Ask,
  known: Known,
  segments: readonly string[],
): Promise<readonly string[] | null> {
  for (const below of [["details"], ["details", "row"]]) {
    const path = [...below, ...segments];
    const field = locateField({ root: "output", segments: path }, new Map());
    if (field.kind === "output" && (await isAnywhere(ask, known, field))) return path;
  }
  return null;
}

async function sampledRows(
  ask: Ask,
  known: Known,
  { kind }: JsonField,
  which: Sample,
): Promise<readonly Key[]> {
  if (kind !== "input") return [];
  return (await ask(compileSampledRows(known, which))).map(({ key }) => key);
}

/** `paths`: where the field would be; null for scores, whose paths are known. */
async function missing(
  ask: Ask,
  known: Known,
  use: FieldUse,
  paths: readonly (readonly string[])[] | null,
): Promise<string> {
  const leaves = new Map<readonly string[], number>(
    known.paths.filter(({ leaf }) => leaf).map(({ path, key }) => [path, key]),
  );
  const { dotted, near } = meantPaths(use.field.segments, paths ?? [...leaves.keys()]);
  const isThere = async (path: readonly string[]) => {
    const key = leaves.get(path) ?? -1;
    return key < 0 || (await ask(compileFirstKind(known, key))).length > 0;
  };
  const there: (readonly string[])[] = [];
  for (const path of near) if (await isThere(path)) there.push(path);
  return missingField(use, dotted, there);
}

const MAX_PATHS = 2000;
const MAX_DEPTH = 6;

/** The members of some documents in which a field was looked for. */
async function sampledPaths(
  session: Session,
  ask: Ask,
  known: Known,
  field: JsonField,
): Promise<readonly (readonly string[])[]> {
  const documents = await session.all(
    compileSampledDocuments(known, field, await sampledRows(ask, known, field, "first")),
  );
  return memberPaths(documents.map(({ document }) => document));
}

/** The paths of the members of some documents. */
export function memberPaths(documents: readonly string[]): readonly (readonly string[])[] {
  const paths = new Map<string, readonly string[]>();
  const visit = (value: Json, path: readonly string[]): void => {
    if (path.length > 0) paths.set(JSON.stringify(path), path);
    if (path.length >= MAX_DEPTH || paths.size >= MAX_PATHS) return;
    const inner = Array.isArray(value) ? value.slice(0, 1) : value;
    if (isJsonObject(inner) || Array.isArray(inner))
      for (const [name, member] of Object.entries<Json>(inner)) visit(member, [...path, name]);
  };
  for (const text of documents.toSorted()) visit(JSON.parse(text) as Json, []);
  return [...paths.values()];
}
