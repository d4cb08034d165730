const MOST = 80;

/** A value as a message shows it: JSON, cut at 80 characters. Of a large one only the beginning is looked at. */
export function shown(value: unknown): string {
  const text = beginning(value, MOST + 1);
  return text.length > MOST ? `${text.slice(0, MOST)}…` : text;
}

/** At least so many characters of the JSON text of a value, where it has as many. */
function beginning(value: unknown, least: number): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, least));
  if (typeof value !== "object" || value === null)
    return typeof value === "function" ? "a function" : String(value);
  const isList = Array.isArray(value);
  let text = "";
  for (const name in value) {
    if (text.length > least) break;
    const inner = beginning((value as Record<string, unknown>)[name], least - text.length);
    text += `${text === "" ? "" : ","}${isList ? "" : `${JSON.stringify(name.slice(0, least))}:`}${inner}`;
  }
  return isList ? `[${text}]` : `{${text}}`;
}
