import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import type { PriceList } from "../../src/index.ts";
import { figuresOf } from "./figures.ts";
import { pageOf } from "./page.ts";
import { BOARDS } from "./sources.ts";

/*
 * Reads local copies of public results and writes what evalcube says of them: `npm run boards -- --source PATH --board
 * terminal-bench --out FILE`. Several pairs of `--source` and `--board` make one page. Ends with 2 where a source or a board
 * is not named, or is not there.
 */

const { values } = parseArgs({
  options: {
    source: { type: "string", multiple: true, default: [] },
    board: { type: "string", multiple: true, default: [] },
    prices: { type: "string" },
    out: { type: "string" },
  },
});
const { source: sources, board: names } = values;
const missing = sources.find((one) => !existsSync(one));
const unknown = names.find((one) => !Object.hasOwn(BOARDS, one));
const fault =
  sources.length === 0
    ? "name a local copy of the results with --source PATH"
    : missing !== undefined
      ? `--source ${missing}: there is no such file or folder`
      : unknown !== undefined || names.length !== sources.length
        ? `name a board for each source with --board: ${Object.keys(BOARDS).join(" or ")}`
        : null;
if (fault !== null) {
  process.stderr.write(`boards: ${fault}\n`);
  process.exitCode = 2;
} else {
  const prices =
    values.prices === undefined ? null : (JSON.parse(await readFile(values.prices, "utf8")) as PriceList);
  const date = new Date().toISOString().slice(0, 10);
  const parts: string[] = [];
  for (const [at, name] of names.entries()) {
    const board = BOARDS[name];
    if (board === undefined) continue;
    parts.push(pageOf(name, board, await figuresOf(board, sources[at] ?? ""), { date, prices }));
  }
  const about = "Published results of others, with the uncertainty that their tables leave out.";
  const text = `# Public boards\n\n${about}\n\n${parts.join("\n")}`;
  if (values.out === undefined) process.stdout.write(text);
  else await writeFile(values.out, text);
}
