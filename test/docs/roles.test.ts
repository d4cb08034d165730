import { expect, it } from "vitest";
import { COLUMN_ROLES, roleOf } from "../../src/import/formats/table/roles.ts";
import { readPage, tableWith } from "./pages.ts";

const code = (words: string) =>
  words
    .split(" ")
    .map((word) => `\`${word}\``)
    .join(", ");

it("the documentation tells each role of a table with its flag and the names that it is guessed by", () => {
  const rows = COLUMN_ROLES.map((role) => {
    const { flag, what, names, uniqueNames, words, begins } = roleOf(role);
    const told = [
      ...(names === undefined ? [] : [code(names)]),
      ...(uniqueNames === undefined
        ? []
        : [`with a value of its own in each record of a run ${code(uniqueNames)}`]),
      ...(words === undefined ? [] : [`a word of the name: ${code(words)}`]),
      ...(begins === undefined ? [] : [`its begin: ${code(begins)}`]),
    ];
    return [what, code(flag), told.join("; ")];
  });
  expect(tableWith(readPage("docs/importing.md"), ["column", "flag", "is guessed by"])).toEqual(rows);
});
