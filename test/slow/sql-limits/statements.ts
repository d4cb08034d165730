import { readFileSync } from "node:fs";
import { atLimits } from "./written/at-limits.ts";
import { deepTexts } from "./written/deep-texts.ts";
import { doubling } from "./written/doubling.ts";
import { longLists } from "./written/long-lists.ts";
import { manyQueries } from "./written/many-queries.ts";
import { nesting } from "./written/nesting.ts";

/** Statements that cost without end, by what makes them costly. */
export function costlyStatements(): ReadonlyMap<string, readonly string[]> {
  const classes = new Map<string, string[]>();
  const text = readFileSync(new URL("costly.txt", import.meta.url), "utf8");
  for (const [, name = "", lines = ""] of text.matchAll(/^# (.*)\n((?:.+\n)+)/gm)) {
    classes.set(name, lines.trimEnd().split("\n"));
  }
  const written = {
    doubling,
    nesting,
    "long lists": longLists,
    "many queries": manyQueries,
    "at limits": atLimits,
    "deep texts": deepTexts,
  };
  for (const [name, statements] of Object.entries(written)) classes.set(name, [...statements]);
  return classes;
}
