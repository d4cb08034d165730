/** A server refuses a value of more than 128 KiB beside a statement, where a character may take nine bytes. */
const MOST_CHARACTERS = 10_000;

/** A statement and its values, with long texts in parts, which the statement puts together again. Lists are split where they are made. */
export function splitParameters<Value>(statement: string, bound: Readonly<Record<string, Value>>) {
  const values: Record<string, Value | string> = {};
  let query = statement;
  for (const [name, value] of Object.entries(bound)) {
    if (typeof value !== "string" || value.length <= MOST_CHARACTERS) {
      values[name] = value;
      continue;
    }
    const parts = textParts(value);
    for (const [i, part] of parts.entries()) values[`${name}_${i}`] = part;
    query = query.replaceAll(new RegExp(`\\{${name}: ?([^}]+)\\}`, "g"), (_, type: string) => {
      return `concat(${parts.map((_part, i) => `{${name}_${i}:${type}}`).join()})`;
    });
  }
  return { query, query_params: values };
}

function textParts(text: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length;) {
    const last = text.charCodeAt(at + MOST_CHARACTERS - 1);
    // Both halves of a pair stay together.
    const end = at + MOST_CHARACTERS - (last >= 0xd800 && last <= 0xdbff ? 1 : 0);
    parts.push(text.slice(at, end));
    at = end;
  }
  return parts;
}
