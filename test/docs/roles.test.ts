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
    const { flag, what, names, weakNames, uniqueNames, differing, settings, words, begins } = roleOf(role);
    const list = (begin: string, some: string | undefined) =>
      some === undefined ? [] : [`${begin}${code(some)}`];
    const told = [
      ...list("", names),
      ...list("where each record has one, and none has its own while another id repeats, ", weakNames),
      ...list("with a value of its own in each record of a run ", uniqueNames),
      ...list("where records of one row differ in it ", differing),
      ...list("the same, of settings ", settings),
      ...list("a word of the name: ", words),
      ...list("its begin: ", begins),
    ];
    return [what, code(flag), told.join("; ")];
  });
  expect(tableWith(readPage("docs/importing.md"), ["column", "flag", "is guessed by"])).toEqual(rows);
});
