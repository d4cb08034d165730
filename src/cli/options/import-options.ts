import { readFile } from "node:fs/promises";
import { Option } from "commander";
import { isColumnRole, MEMBERS, roleOf } from "../../import/formats/table/roles.ts";
import type { TableMapping } from "../../index.ts";
import { collect } from "./options.ts";
import { FileError } from "../terminal/failure.ts";

/** The values of the options of tables and of others, as commander names them. */
export type TableFlags = Readonly<Record<string, unknown>> & { readonly mapping?: string };

/** The options of tables with the members of a mapping that they give; those of columns may be given several times. */
const mappingOptions = () => MEMBERS.map((member) => [member, mappingOption(member)] as const);

function mappingOption(member: keyof TableMapping): Option {
  const { flag, argument, what, choices, repeats = false } = roleOf(member);
  const isColumns = isColumnRole(member);
  const isList = member === "modelColumns";
  const option = new Option(
    `${flag} ${argument}`,
    isColumns && !isList ? `column of a table: ${what}` : what,
  );
  if (choices !== undefined) return option.choices(choices);
  if (isList) return option.argParser((names) => names.split(",").map((name) => name.trim()));
  return isColumns || repeats ? option.argParser(collect) : option;
}

export function tableOptions(): Option[] {
  return [
    ...mappingOptions().map(([, one]) => one),
    new Option("--mapping <file>", "roles of a table's columns as JSON, as --print-mapping prints them"),
  ];
}

/** The mapping of the flags; they take precedence over a mapping file, which is read if it exists. */
export async function tableMapping(flags: TableFlags): Promise<TableMapping> {
  const given = mappingOptions().map(([member, one]) => [member, flags[one.attributeName()]] as const);
  const named = Object.fromEntries(given.filter(([, value]) => value !== undefined));
  return { ...(await readMapping(flags.mapping)), ...named };
}

async function readMapping(path: string | undefined): Promise<TableMapping> {
  if (path === undefined) return {};
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return {};
    throw new FileError(`cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
  try {
    return JSON.parse(text) as TableMapping;
  } catch (error) {
    throw new FileError(`${path}: is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
