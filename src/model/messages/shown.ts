const MOST = 80;

/** A value as a message shows it: JSON, cut at 80 characters. Of a large one only the beginning is looked at. */
export function shown(value: unknown): string {
  const text = beginning(value, MOST + 1);
  return text.length > MOST ? `${text.slice(0, MOST)}…` : text;
}

/** At least so many characters of the JSON text of a value, where it has as many; deeper ones count too, so that this ends. */
function beginning(value: unknown, least: number): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, Math.max(0, least)));
  if (typeof value === "function") return "a function";
  if (typeof value !== "object" || value === null) return String(value);
  const isList = Array.isArray(value);
  let text = "";
  for (const [name, inner] of least > 0 ? members(value, least) : []) {
    const label = isList ? "" : `${JSON.stringify(name.slice(0, least))}:`;
    text += `${text === "" ? "" : ","}${label}`;
    text += beginning(inner, least - text.length - 1);
    if (text.length > least) break;
  }
  return isList ? `[${text}]` : `{${text}}`;
}

function members(value: object, most: number): (readonly [string, unknown])[] {
  if (Array.isArray(value)) return value.slice(0, most).map((item: unknown) => ["", item]);
  const names: string[] = [];
  for (const name in value) if (names.push(name) >= most) break;
  return names.map((name) => [name, (value as Record<string, unknown>)[name]]);
}
