import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { openEngine } from "../../../src/index.ts";
import { PROJECT, put, temporaryFolder } from "../command.ts";
import { evalcubeHere } from "../in-process.ts";
import { ci, database, passing, stubJob } from "./runs.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);
beforeEach(() => {
  stubJob();
  return () => vi.unstubAllEnvs();
});

/** A module of three evaluations, of which some get a fifth of their rows right. */
const moduleOf = (name: string, broken: readonly string[] = [], version = "v1") =>
  put(
    folder,
    `${name}.eval.mjs`,
    `const one = (name) => ({
      name: "support " + name,
      model: "bot-" + name,
      dataset: "support:${version}",
      data: Array.from({ length: 30 }, (_, n) => ({ n })),
      task: ({ n }) => ({ n, name }),
      scorers: { correct: ({ row }) => row.n < (${JSON.stringify(broken)}.includes(name) ? 6 : 27) },
    });
    export default ["large", "small", "tiny"].map(one);\n`,
  );

interface Told {
  readonly run: string;
  readonly judged: readonly { readonly id: string; readonly label: string }[];
  readonly not_judged: readonly { readonly id: string; readonly label: string }[];
  readonly not_comparable: readonly { readonly reason: string; readonly text: string }[];
}

let made = 0;
const newDatabase = () => join(folder, `one-run${made++}.duckdb`);

async function runModule(db: string, module: string, ...args: readonly string[]) {
  const ended = await evalcubeHere([
    "run",
    module,
    "--db",
    db,
    "--project",
    PROJECT,
    "--no-git",
    "--format",
    "json",
    ...args,
  ]);
  return { ...ended, ...(JSON.parse(ended.stdout || "{}") as Told) };
}

async function told(db: string, ...args: readonly string[]) {
  const ended = await ci(db, "--format", "json", ...args);
  return { ...ended, ...(JSON.parse(ended.stdout || "{}") as Told) };
}

async function attributesIn(db: string) {
  const engine = await openEngine({ path: db, readOnly: true });
  try {
    return (await engine.listEvaluations(PROJECT)).map(
      ({ attributes }) => attributes as { readonly run?: string },
    );
  } finally {
    await engine.close();
  }
}

const suiteAt = (id: string, name: string, run: string, minute: number, passes = 36) => ({
  id,
  name,
  at: minute,
  attributes: { run, commit: run },
  trials: passing(40, passes),
});

const NAMES = ["support large", "support small", "support tiny"];

describe("the evaluations of one run", () => {
  it.each(["large", "small", "tiny"])(
    "are all judged, also where %s is the one that broke",
    async (broken) => {
      const db = newDatabase();
      const file = join(folder, `${broken}.parquet`);
      await runModule(db, moduleOf("good"));
      const saving = await ci(db, "--save", file);
      expect(saving.stdout).toMatch(/: 3 evaluations, 90 rows, \d+ bytes\n$/);
      await runModule(db, moduleOf(`bad-${broken}`, [broken]));
      const whole = await ci(db, "--baseline", file);
      expect(whole.status).toBe(3);
      expect(whole.stdout).toContain(`- Judged: 3 evaluations: ${NAMES.join(", ")}.\n`);
      expect(whole.stderr).toContain(`regressed: support ${broken} is worse in correct`);
      expect(whole.stdout).toContain(`- regressed: support ${broken} is worse in correct`);
      const answer = await told(db, "--baseline", file);
      expect(answer.judged.map(({ label }) => label)).toEqual(NAMES);
      expect(answer.not_judged).toEqual([]);
    },
  );

  it("share attributes.run: EVALCUBE_RUN, else a new one, unless the evaluation names its own", async () => {
    const db = newDatabase();
    const first = await runModule(db, moduleOf("good"));
    expect(first.run).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    vi.stubEnv("EVALCUBE_RUN", "nightly-7");
    const second = await runModule(db, moduleOf("good"));
    expect(second.run).toBe("nightly-7");
    const own = put(
      folder,
      "own.eval.mjs",
      `export default { name: "own", model: "m", attributes: { run: "mine" }, data: [{ n: 1 }], task: () => 1, scorers: { ok: () => true } };\n`,
    );
    await runModule(db, own);
    const runs = (await attributesIn(db)).map((one) => one.run);
    expect(runs).toEqual([
      ...Array.from({ length: 3 }, () => first.run),
      "nightly-7",
      "nightly-7",
      "nightly-7",
      "mine",
    ]);
  });

  it("are those of EVALCUBE_RUN where the library logs them, and of nothing without it", async () => {
    const db = newDatabase();
    const log = async (name: string) => {
      const engine = await openEngine({ path: db });
      const logger = engine.startEvaluation(PROJECT, { name, model: "m" });
      await logger.logExample({ row: { n: 1 }, output: 1, scores: { ok: true } });
      await logger.finish();
      await engine.close();
    };
    await log("plain");
    vi.stubEnv("EVALCUBE_RUN", "job 8");
    await log("named");
    expect((await attributesIn(db)).map((one) => one.run)).toEqual([undefined, "job 8"]);
  });

  it("are not compared over another version of their dataset, which every command names", async () => {
    const db = newDatabase();
    const file = join(folder, "version-1.parquet");
    await runModule(db, moduleOf("version-1"));
    await ci(db, "--save", file);
    const second = moduleOf("version-2", [], "v2");
    const again = await evalcubeHere(["run", second, "--db", db, "--project", PROJECT]);
    expect(again.status).toBe(0);
    const notes = again.stderr.match(/": dataset support:v2, the baseline support:v1/g);
    expect(notes).toHaveLength(NAMES.length);
    const answer = await told(db, "--baseline", file, "--fail-on", "regressed");
    expect(answer.status).toBe(4);
    expect(answer.not_comparable.map(({ reason, text }) => [reason, text])).toEqual(
      NAMES.map((name) => ["dataset", `${name} has dataset support:v2, the baseline support:v1`]),
    );
    const list = await evalcubeHere(["evaluations", "--db", db, "--project", PROJECT, "--format", "table"]);
    expect(list.stdout).toMatch(/dataset .*\n.*\n(.* support:v1 .*\n){3}(.* support:v2 .*\n){3}/);
    const sql = await evalcubeHere([
      "sql",
      "--db",
      db,
      "--project",
      PROJECT,
      "--format",
      "json",
      "select distinct dataset_ref from evaluations order by 1",
    ]);
    expect(sql.stdout).toContain("/object/support:v1");
  });

  it("are not lacking where --candidate leaves them out; they are named as not judged", async () => {
    const db = newDatabase();
    const file = join(folder, "left-out.parquet");
    await runModule(db, moduleOf("good"));
    await ci(db, "--save", file);
    const commit = "ab".repeat(20);
    await runModule(
      db,
      put(
        folder,
        "same.eval.mjs",
        `import all from "./good.eval.mjs"; export default all.map((one) => ({ ...one, attributes: { commit: "${commit}" } }));\n`,
      ),
    );
    const answer = await told(db, "--baseline", file, "--candidate", "support small");
    expect({ status: answer.status, not_comparable: answer.not_comparable }).toEqual({
      status: 0,
      not_comparable: [],
    });
    expect(answer.judged.map(({ label }) => label)).toEqual(["support small"]);
    expect(answer.not_judged.map(({ label }) => label)).toEqual(["support large", "support tiny"]);
    const text = await ci(db, "--baseline", file, "--candidate", "support small");
    expect(text.stdout).toContain("- Not judged: support large, support tiny, of the same run.\n");
  });

  it("are lacking where the baseline has more, and a name that it lacks is new", async () => {
    const file = join(folder, "more.parquet");
    const before = [suiteAt("a1", "a", "r1", 0), suiteAt("b1", "b", "r1", 1)];
    await ci(await database(folder, "more-before.duckdb", before), "--save", file);
    const other = (i: number) => ({
      ...suiteAt(`o${i}`, `other ${i}`, "r2", 5 + i),
      attributes: { run: "job", commit: "r2" },
    });
    const db = await database(folder, "more.duckdb", [
      ...Array.from({ length: 13 }, (_, i) => other(i)),
      suiteAt("a2", "a", "r2", 30),
      suiteAt("c2", "c", "r2", 31, 10),
    ]);
    const answer = await told(db, "--baseline", file);
    expect(answer).toMatchObject({ status: 4, not_comparable: [{ reason: "missing-evaluation" }] });
    const text = await ci(db, "--baseline", file, "--fail-on", "correct<80%");
    expect(text.status).toBe(3);
    expect(text.stdout).toContain("- Judged: 2 evaluations: a, c.\n");
    const ten = Array.from({ length: 10 }, (_, i) => `other ${i}`).join(", ");
    expect(text.stdout).toContain(`- Not judged: ${ten} and 3 more, of the same commit in another run.\n`);
    expect(text.stdout).toContain("c is new");
    expect(text.stdout).toContain("correct&#60;80%: c has 25%");
  });
});
