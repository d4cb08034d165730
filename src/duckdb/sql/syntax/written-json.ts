import { isJsonObject } from "../../../model/json.ts";
import { readJson, type Builder } from "../../../model/read-json.ts";

/** A number as a JSON text spells it: `1000.0`, `1e-320`, `18446744073709551615`. */
export class WrittenNumber {
  readonly spelling: string;

  constructor(spelling: string) {
    this.spelling = spelling;
  }
}

/** JSON whose numbers keep their spelling, so that {@link writeWrittenJson} gives them back as they were. */
export type WrittenJson = null | boolean | string | WrittenNumber | readonly WrittenJson[] | WrittenObject;
export type WrittenObject = { readonly [name: string]: WrittenJson };

export function isWrittenObject(value: WrittenJson | undefined): value is WrittenObject {
  return isJsonObject(value) && !(value instanceof WrittenNumber);
}

const WRITTEN: Builder<WrittenJson> = {
  literal: (value) => value,
  number: (token) => new WrittenNumber(token),
  string: (value) => value,
  array: (items) => items,
  object: (members) => Object.fromEntries(members),
};

/** Throws `SyntaxError` on a text that is not JSON, `RangeError` on one that is nested too deep. */
export function parseWrittenJson(text: string): WrittenJson {
  JSON.parse(text);
  return readJson(text, WRITTEN);
}

export function writeWrittenJson(value: WrittenJson): string {
  if (value instanceof WrittenNumber) return value.spelling;
  if (Array.isArray(value)) return `[${(value as readonly WrittenJson[]).map(writeWrittenJson).join(",")}]`;
  if (!isWrittenObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${writeWrittenJson(member)}`,
  );
  return `{${members.join(",")}}`;
}
