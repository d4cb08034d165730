import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine } from "../../src/index.ts";
import { textWidth } from "../../src/text/text-width.ts";
import { root, trial } from "../support/records.ts";
import { temporaryFolder } from "./command.ts";
import { evalcubeHere } from "./in-process.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);
const ROWS = 12;

const MIDDLE = `${"x".repeat(150)}A${"x".repeat(149)}`;
/** Names that no terminal has room for: some are told apart in their middle, some by a date alone. */
const HOSTILE: readonly string[] = [
  MIDDLE,
  MIDDLE.replace("A", "B"),
  "評価".repeat(80),
  `${"👩‍👩‍👧‍👦".repeat(50)} family`,
  `${"lang ".repeat(60)}name`,
  "e\u0301".repeat(300),
  `a\nb\t\u001b[31m${"z".repeat(300)}`,
];

/** Hostile text for models, datasets, scores, commits and branches. */
const LONG = `${"ü".repeat(120)} 模型${"🦊".repeat(40)}`;

function run(id: string, name: string, day: number, right: number): object[] {
  const at = `2026-07-${String(day).padStart(2, "0")}T08:15:42Z`;
  return [
    root(id, {
      display_name: name,
      started_at: at,
      ended_at: at,
      inputs: { model: `${LONG}:v${day}`, dataset: `${LONG}:d${day}` },
      attributes: { commit: `${day}abcdef0123456789`, branch: `${LONG}/${day}` },
    }),
    ...Array.from({ length: ROWS }, (_, n) =>
      trial(
        `${id}-${n}`,
        { n, [LONG]: n % 3 === 0 ? LONG : "b" },
        {
          [`${LONG} one`]: n < right,
          [`${LONG} two`]: n < right,
          length: n * right,
          judge: { [LONG]: n / 7 },
        },
        { parent_id: id, started_at: at, ...(n === right ? { exception: `Error: ${LONG}` } : {}) },
      ),
    ),
  ];
}

const TWICE = HOSTILE[2] ?? "";
const DATABASES = {
  names: HOSTILE.flatMap((name, i) => run(`${"id-".repeat(20)}${i}`, name, i + 1, 10)),
  runs: [11, 10, 3, 3, 2].flatMap((right, i) => run(`run-${i}`, TWICE, i + 1, right)),
  plain: [11, 10, 3].flatMap((right, i) => run(`plain-${i}`, "support small", i + 1, right)),
};

beforeAll(async () => {
  for (const [name, calls] of Object.entries(DATABASES)) {
    const engine = await openEngine({ path: join(folder, `${name}.duckdb`), threads: 1 });
    await engine.ingestCalls(calls as never);
    await engine.close();
  }
});

/** Heads of columns that are no names of the data. */
const HEADS: Readonly<Record<string, string>> = {
  evaluations: "id|name|model|dataset|started at|status|trials|errors",
  history: "run|model|dataset|commit|branch|rows|mean|against the run before|against the reference",
  leaderboard:
    "evaluation|model|of|length|rank|against the best|pass rate|rows|trials|errors|missing|null|tokens|cost",
  compare:
    "candidate|score|rows|baseline|candidate mean|difference|95% interval|95% together|p adjusted|" +
    "rows better/same/worse|verdict",
};

function headsOf(command: string): readonly string[] {
  return HEADS[command]?.split("|") ?? [];
}

const ASKED: readonly (readonly [command: string, ...args: string[]])[] = [
  ["evaluations"],
  ["history"],
  ["leaderboard"],
  ["leaderboard", "--by", "model"],
  ["compare", "--baseline", "latest~1"],
  ["compare", "--baseline", "latest~2", "--candidate", "latest", "latest~1"],
  ["compare", "--baseline", "latest~1", "--format", "table", "--by", "auto"],
];

async function shown(columns: number, database: string, [command, ...args]: readonly string[]) {
  const db = ["--db", join(folder, `${database}.duckdb`)];
  const ended = await evalcubeHere([command ?? "", ...args, ...db], "", { isTTY: true, columns });
  // eslint-disable-next-line no-control-regex
  return { ...ended, stdout: ended.stdout.replaceAll(/\u001b\[\d+m/g, "") };
}

/** The heads of each table of a text: its columns are where the rule has dashes. */
function tablesOf(text: string): { readonly heads: string[]; readonly rows: string[] }[] {
  const lines = text.split("\n");
  return lines.flatMap((rule, i) => {
    if (!/^─+(?: {2}─+)*$/.test(rule)) return [];
    const end = lines.findIndex((line, j) => j > i && line === "");
    return [{ heads: cellsOf(lines[i - 1] ?? "", rule), rows: lines.slice(i + 1, end) }];
  });
}

function cellsOf(line: string, rule: string): string[] {
  return [...rule.matchAll(/─+/g)].map(({ index, 0: dashes }) => within(line, index, index + dashes.length));
}

/** What of a line stands in these cells. */
function within(line: string, from: number, to: number): string {
  const segments = Array.from(new Intl.Segmenter().segment(line), ({ segment }) => segment);
  let cells = 0;
  return segments
    .filter((segment) => {
      const at = cells;
      cells += textWidth(segment);
      return at >= from && at < to;
    })
    .join("")
    .trim();
}

describe.each(Object.keys(DATABASES))("hostile names in %s", (database) => {
  describe.each([40, 80, 100])("on a terminal of %i columns", (columns) => {
    it.each(ASKED)("fit: %s %s %s %s", async (command, ...args) => {
      const { status, stdout, stderr } = await shown(columns, database, [command, ...args]);
      expect(status, stderr).toBe(0);
      for (const line of [...stdout.split("\n"), ...stderr.split("\n")])
        expect(textWidth(line), line).toBeLessThanOrEqual(columns);
      for (const { rows } of tablesOf(stdout)) expect(rows).not.toEqual([]);
      // Names of scores may be heads, too; those of tables of slices stand in another test.
      const heads = tablesOf(stdout)[0]?.heads.filter((head) => !head.includes("…")) ?? [];
      expect(headsOf(command)).toEqual(expect.arrayContaining(heads));
      // What looks like the beginning of a date or time is all of one.
      for (const [date] of stdout.matchAll(/2026-[\d\-T:]*/g))
        expect(date).toMatch(/^2026-07-\d\d(?:T08:15:42)?$/);
    });
  });
});

describe("the columns that are left out", () => {
  it.each(ASKED)("are named in the end, and were not shown: %s %s %s %s", async (command, ...args) => {
    for (const database of Object.keys(DATABASES)) {
      const narrow = (await shown(80, database, [command, ...args])).stdout;
      const wide = (await shown(1000, database, [command, ...args])).stdout;
      const [there, all] = [narrow, wide].map((text) => tablesOf(text)[0]?.heads ?? []);
      const left = headsOf(command).filter((head) => all?.includes(head) && there?.includes(head) === false);
      const last = narrow.replaceAll("\n  ", " ").trimEnd().split("\n").at(-1) ?? "";
      const said =
        /^Left out at 80 columns: (.*)\. --format json has all\.$/.exec(last)?.[1]?.split(", ") ?? [];
      expect(said).toEqual(expect.arrayContaining(left));
      expect(there).not.toEqual(expect.arrayContaining([expect.toBeOneOf(said)]));
    }
  });

  it("of evaluations are none of name, status, start, trials and errors at 80", async () => {
    for (const database of Object.keys(DATABASES)) {
      const [table] = tablesOf((await shown(80, database, ["evaluations"])).stdout);
      expect(table?.heads).toEqual(
        expect.arrayContaining(["name", "started at", "status", "trials", "errors"]),
      );
    }
  });
});

describe("names that give way", () => {
  it("do so in their middle, and no two look the same", async () => {
    for (const columns of [40, 80, 100])
      for (const database of Object.keys(DATABASES)) {
        const { stdout } = await shown(columns, database, ["evaluations"]);
        const [table] = tablesOf(stdout);
        const rule = stdout.split("\n")[1] ?? "";
        const place = table?.heads.indexOf("name") ?? -1;
        const names = (table?.rows ?? []).map((line) => cellsOf(line, rule)[place] ?? "");
        expect(new Set(names).size, `${columns} ${names.join("\n")}`).toBe(names.length);
        expect(names.filter((name) => database !== "runs" || /^評.*….*\(2026-07-\d\d\)$/.test(name))).toEqual(
          names,
        );
      }
  });
});
