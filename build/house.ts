import path from "node:path";
import { sharedNames, tokensOf, wideLines } from "../test/structure/measures.ts";
import {
  filesReached,
  findCycle,
  findFolderCycle,
  importsOf,
  readSources,
} from "../test/structure/source-graph.ts";

/* Prints the measures of the structure of `src` that CONTRIBUTING.md explains. */

const sources = readSources(path.join(import.meta.dirname, "../src"));
const stages = new Map<string, number>();
for (const [name, text] of sources) {
  const stage = name.split("/")[0] ?? name;
  stages.set(stage, (stages.get(stage) ?? 0) + tokensOf(name, text).tokens);
}
const { wide, excepted } = wideLines(sources, 120);
const database = [...sources].filter(
  ([name, text]) =>
    name.startsWith("engine/") && importsOf(name, text).some((one) => one.startsWith("duckdb/")),
);

const measures: Readonly<Record<string, number | string>> = {
  tokens: [...stages.values()].reduce((sum, one) => sum + one, 0),
  "tokens by folder": [...stages]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 8)
    .map(([name, count]) => `${name} ${count}`)
    .join(", "),
  files: sources.size,
  "files that engine/query/query.ts reaches": filesReached(sources, "engine/query/query.ts").size,
  "files of engine that import duckdb": database.length,
  "a circle of files": findCycle(sources)?.join(" ") ?? "none",
  "a circle of folders": findFolderCycle(sources)?.join(" ") ?? "none",
  "lines over 120 characters": `${wide.length} (${wide.slice(0, 5).join(" ")})`,
  "such lines of one text or pattern": excepted.length,
  "exported names in three files or more": [...sharedNames(sources)].map((one) => one.join(" ")).join(", "),
};
for (const [name, value] of Object.entries(measures)) process.stdout.write(`${name}: ${value}\n`);
