import { grouped } from "../../../model/grouped.ts";
import { listOf, type TableMapping } from "../../translate/table-mapping.ts";
import { CONTAINERS, EXPECTATION } from "./find-members.ts";
import { fitsOne, fitsPattern, isNoScore, plainName } from "./guess-names.ts";
import type { TableReader } from "./readers/table-reader.ts";
import { COLUMN_ROLES, namesOf } from "./roles.ts";

/** A table whose columns hold paths, such as `scores.accuracy`, read as objects are. */
interface DottedTable {
  readonly reader: TableReader;
  readonly given: TableMapping;
  /** Columns that are scores whatever their names; of those in `texts` also texts. */
  readonly sure: readonly string[];
  readonly texts: readonly string[];
}

const NAMED = namesOf("names", ...COLUMN_ROLES.filter((role) => role !== "metric" && role !== "value"));

/** Whether a tool wrote the name: a heading of people, such as `Scores.accuracy`, stays whole. */
const isPath = (column: string) => CONTAINERS.has(column.split(".")[0] ?? "");

/** The scores in columns whose names are paths into a container: they are called without it where that names one. */
export function withDotted(reader: TableReader, given: TableMapping): DottedTable {
  const named = COLUMN_ROLES.flatMap((role) => listOf(given[role]));
  const found = reader.columns.flatMap((column) => {
    const [container = "", ...rest] = column.split(".");
    const name = rest.join(".");
    const isOpen = CONTAINERS.has(plainName(container)) && name.trim() !== "";
    return isOpen && !named.some((one) => one === column || fitsPattern(column, one))
      ? [{ column, name, isText: plainName(container) === "labels" }]
      : [];
  });
  const expected = found.filter(({ name }) => EXPECTATION.test(plainName(name))).map(({ column }) => column);
  const scores = found.filter(({ name }) => !isNoScore(name) && !fitsOne(plainName(name), NAMED));
  const taken = grouped([...reader.columns, ...scores.map(({ name }) => name)], (name) => name);
  const isAlone = (name: string) => taken.get(name)?.length === 1;
  const names = new Map(
    scores.map(({ column, name }) => [column, isAlone(name) && isPath(column) ? name : column]),
  );
  const nameOf = (column: string) => names.get(column) ?? column;
  return {
    reader: names.size === 0 ? reader : { ...reader, columns: reader.columns.map(nameOf) },
    given: given.expected === undefined && expected.length > 0 ? { ...given, expected } : given,
    sure: [...names.values()],
    texts: scores.filter(({ isText }) => isText).map(({ column }) => nameOf(column)),
  };
}
