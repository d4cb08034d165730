/**
 * Where a text stops being JSON, as the end of a sentence: `: line 3, column 12`. Of the parser's message only the position
 * is used, since the rest quotes the text.
 */
export function jsonFault(text: string, error: unknown): string {
  if (text.trim() === "") return ": it is empty";
  const message = error instanceof Error ? error.message : "";
  if (message.includes("end of JSON")) return ": it ends too early";
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position === undefined) return "";
  const lines = text.slice(0, Number(position)).split("\n");
  return `: line ${lines.length}, column ${(lines.at(-1) ?? "").length + 1}`;
}
