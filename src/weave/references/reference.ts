/** A reference to an object, op, table or call, and the way from there to a value inside. */
export interface WeaveReference {
  readonly projectId: string;
  readonly target:
    | { readonly kind: "object"; readonly name: string; readonly version: string }
    | { readonly kind: "table"; readonly digest: string }
    | { readonly kind: "call"; readonly id: string };
  readonly path: readonly Step[];
}

/** `attr` and `key` name a member of an object, `index` an item of a list, `id` a row of a table by its digest. */
export interface Step {
  readonly edge: "attr" | "key" | "index" | "id";
  readonly part: string;
}

const REFERENCE =
  /^[A-Za-z][A-Za-z0-9+.-]*:\/\/\/([^/]+\/[^/]+)\/(?:(?:object|op)\/([^/:]+):([^/]+)|table\/([^/]+)|call\/([^/]+))((?:\/[^/]+\/[^/]*)*)$/s;

const EDGES: ReadonlySet<string> = new Set(["attr", "key", "index", "id"]);

/** Null when the text is no reference. The parts of the path are percent-decoded, names are taken as they stand. */
export function parseWeaveReference(text: string): WeaveReference | null {
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
