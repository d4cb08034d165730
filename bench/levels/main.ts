/*
 * Prints how often what is said of comparisons is false, by simulation: `npx tsx bench/levels/main.ts [--projects 800]`.
 * The same number of projects gives the same table.
 */
import { parseArgs } from "node:util";
import { DESIGNS, type Design } from "./designs.ts";
import { head, percent, print } from "./table.ts";
import { measureFound, measureLevels, measureRanks } from "./measure.ts";

const { values } = parseArgs({ options: { projects: { type: "string", default: "800" } } });
const projects = Number(values.projects);
const seed = 20_261_126;

const named = (name: string, rows: number): Design => {
  const found = DESIGNS.find((one) => one.name === name && one.rows === rows);
  if (found === undefined) throw new RangeError(`no design ${name} of ${rows} rows`);
  return found;
};

head(
  "data",
  "rows",
  "false verdict",
  "95 % interval holds",
  "found of what would have shown",
  "as one of 14",
);
for (const design of DESIGNS) {
  const { falseVerdict, coverage } = await measureLevels(design, 1, { projects: 4 * projects, seed });
  const clustered = design.name.includes("article");
  const found = design.rows < 20 ? null : await measureFound(design, 1, { projects, seed });
  const among =
    design.rows < 20 || clustered || design.rows > 400
      ? null
      : await measureFound(design, 14, { projects: projects / 2, seed });
  print([design.name, String(design.rows), ...[falseVerdict, coverage, found, among].map(percent)]);
}

head(
  "candidates (true/false, 100 rows)",
  "truly better by 15 points",
  "any false verdict",
  "all adjusted intervals hold",
);
for (const count of [1, 3, 14, 40, 100])
  for (const better of [0, Math.floor(count / 2)]) {
    if (count === 1 && better === 0) continue;
    const sample = { projects: count > 14 ? projects / 4 : projects, seed, better, gain: 0.15 };
    const { falseVerdict, together } = await measureLevels(named("true/false", 100), count, sample);
    print([String(count), String(better), percent(falseVerdict), percent(together)]);
  }

head(
  "ranks",
  "rows",
  "evaluations",
  "someone falsely worse",
  "told from the best (10 points)",
  "with the best named, at 5 % / (n − 1)",
  "ratio",
);
const ranked: readonly Design[] = [
  named("true/false", 100),
  named("true/false", 1000),
  named("missing 25 %", 100),
  named("1 to 8 trials a row", 50),
  named("errors on hard rows", 200),
  named("40 articles of 10 rows", 400),
  named("10 articles of 40 rows", 400),
];
for (const design of ranked)
  for (const count of [5, 15]) {
    const sample = { projects: count === 15 && design.rows > 400 ? projects / 4 : projects / 2, seed };
    const { falselyWorse } = measureRanks(design, count, 0, sample);
    const { power, withBest } = measureRanks(design, count, 0.1, sample);
    const cells = [falselyWorse, power, withBest].map(percent);
    print([design.name, String(design.rows), String(count), ...cells, (power / withBest).toFixed(2)]);
  }
