const REFERENCE = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/\/[^/]+\/[^/]+\/(object|op)\/([^/:]+):[^/:]+(\/.*)?$/s;

type NamedReference = { readonly kind: "object" | "op"; readonly name: string };

// Call references carry no name.
export function parseNamedReference(text: string): NamedReference | null {
  const [, kind, name, extra] = REFERENCE.exec(text) ?? [];
  if (name === undefined) return null;
  if (kind === "object") return { kind, name };
  return extra === undefined ? { kind: "op", name } : null;
}

export function opName(text: string): string {
  const reference = parseNamedReference(text);
  return reference?.kind === "op" ? reference.name : text;
}

const ROW_MARK = "/attr/rows/id/";

// The digest that a reference into a dataset names; null when the text is no such reference.
export function datasetRowDigest(text: string): string | null {
  const at = text.indexOf(ROW_MARK);
  const tail = text.slice(at + ROW_MARK.length);
  return at > 0 && tail !== "" && !tail.includes("/") ? tail : null;
}
