import { isColumnRole, MEMBERS, roleOf } from "./roles.ts";

/** What is wrong with a mapping, as the end of a sentence; null where nothing is. */
export function mappingFault(mapping: Readonly<Record<string, unknown>>): string | null {
  for (const [name, value] of Object.entries(mapping)) {
    if (value === undefined) continue;
    const member = MEMBERS.find((one) => one === name);
    if (member === undefined) return `has no member ${JSON.stringify(name)}; there are ${MEMBERS.join(", ")}`;
    const isColumns = isColumnRole(member);
    const isList = Array.isArray(value) && value.every((one) => typeof one === "string");
    const { choices, repeats = false } = roleOf(member);
    const allowed = isColumns
      ? "a column or a list of columns"
      : repeats
        ? "a text or a list of texts"
        : "a text";
    if (typeof value !== "string" && !((isColumns || repeats) && isList))
      return `needs ${allowed} as ${name}`;
    if (choices?.some((one) => one === value) === false)
      return `has ${name} ${JSON.stringify(value)}; ${choices.join(" or ")} is allowed`;
  }
  if (mapping["scoreName"] === undefined || mapping["modelColumns"] !== undefined) return null;
  return "has scoreName, which names the score in the cells of modelColumns, without these";
}
