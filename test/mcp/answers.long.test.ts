import { beforeAll, describe, expect, it } from "vitest";
import { openEngine, type CallRecord, type Engine } from "../../src/index.ts";
import { support, supportCalls } from "../../src/demo/support.ts";
import { evalcubeHere } from "../cli/in-process.ts";
import { exampleCalls, PROJECT, temporaryFolder } from "../cli/command.ts";
import { connect, GENERATIONS, serviceOf, startMcp, type Asker } from "./clients.ts";

/*
 * The same questions over both doors by three generations of clients, about three databases: figures are those that the engine
 * answers, to the bit; sentences those that the command prints.
 */

interface Database {
  readonly project: string;
  readonly baseline: string;
  readonly candidate: string;
  readonly calls: () => Iterable<CallRecord>;
}

function record(id: string, op_name: string, others: object): CallRecord {
  return { id, project_id: "odd/one", started_at: "", op_name, ...others };
}

/** Numbers that no float has, several trials of a row, failed trials, texts and nulls. */
function* oddCalls(): Generator<CallRecord> {
  for (const [i, run] of ["first", "second"].entries()) {
    const started_at = `2026-02-0${i + 1}T00:00:00Z`;
    yield record(run, "Evaluation.evaluate", {
      started_at,
      display_name: run,
      ended_at: started_at,
      output: {},
    });
    for (let row = 0; row < 40; row++)
      for (let trial = 0; trial < 3; trial++) {
        const scores = {
          correct: (row * 7 + trial * 3 + i * 5) % 4 !== 0,
          judge: { points: (row * 0.37 + trial * 0.11 + i) % 1, word: row % 2 === 0 ? "even" : "odd" },
          count: 9007199254740993n,
        };
        const failed = (row + trial + i) % 9 === 0;
        yield record(`${run}-${row}-${trial}`, "Evaluation.predict_and_score", {
          parent_id: run,
          started_at,
          inputs: { example: { row, kind: row % 3, text: `question ${row}` } },
          ...(failed ? { exception: "Error: it broke" } : { output: { output: `answer ${row}`, scores } }),
        });
      }
  }
}

const DATABASES: Readonly<Record<string, Database>> = {
  demo: { project: support.project, baseline: "support-4", candidate: "support-5", calls: supportCalls },
  small: {
    project: PROJECT,
    baseline: "good",
    candidate: "bad",
    calls: () => exampleCalls() as CallRecord[],
  },
  odd: { project: "odd/one", baseline: "first", candidate: "second", calls: oddCalls },
};

/** Integers beyond 2^53 are texts; otherwise as JSON has it. */
function asJson(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, one: unknown) => (typeof one === "bigint" ? String(one) : one)),
  );
}

/** `told`, with null where the answer has null and the tool leaves it out. */
function withNulls(told: Record<string, unknown>, whole: object): Record<string, unknown> {
  const left = Object.entries(whole).filter(([name, value]) => value === null && !(name in told));
  return { ...told, ...Object.fromEntries(left) };
}

const { folder, remove } = temporaryFolder();
const files = new Map(Object.keys(DATABASES).map((name) => [name, `${folder}/${name}.duckdb`]));

beforeAll(async () => {
  for (const [name, { calls }] of Object.entries(DATABASES)) {
    const engine = await openEngine({ path: files.get(name), threads: 1 });
    await engine.ingestCalls([...calls()]);
    await engine.close();
  }
  return remove;
});

type Door = "standard input" | "HTTP";

/** Opens a door to a database for a client of each generation, and asks. */
async function through(door: Door, name: string, work: (asker: Asker, engine: Engine) => Promise<void>) {
  const path = files.get(name) ?? "";
  const engine = await openEngine({ path, readOnly: true, threads: 1 });
  try {
    for (const generation of GENERATIONS) {
      const started = door === "HTTP" ? null : startMcp(["--db", path]);
      const transport = started === null ? serviceOf(engine).transport() : started.transport;
      const asker = await connect(generation, transport);
      await work(asker, engine);
      await asker.close();
      expect((await started?.ended)?.status ?? 0).toBe(0);
    }
  } finally {
    await engine.close();
  }
}

const BIG = { max_bytes: 1_000_000 };

describe.each(["standard input", "HTTP"] as const)("over %s", (door) => {
  describe.each(Object.keys(DATABASES))("the database %s", (name) => {
    const { project, baseline, candidate } = DATABASES[name] as Database;
    const both = [baseline, candidate];

    it("compares as the engine and in the words of the command", () =>
      through(door, name, async ({ call }, engine) => {
        const { structured: told } = await call("compare", { baseline, candidates: [candidate], ...BIG });
        const { comparisons } = await engine.compareEvaluations(project, {
          baseline,
          candidates: [candidate],
        });
        expect(
          told.data.comparisons.map((one: object, i: number) =>
            withNulls(one as never, comparisons[i] ?? {}),
          ),
        ).toEqual(asJson(comparisons));
        const { stdout } = await evalcubeHere(
          [
            "compare",
            "--db",
            files.get(name) ?? "",
            ...told.request.argv.slice(1).map((one: string) => (one === "json" ? "table" : one)),
          ],
          JSON.stringify(told.request.stdin),
        );
        // For agents, names that are no plain words stand in quotation marks.
        const said = told.says.join("\n").replaceAll(/"([^"]*)"/g, "$1");
        expect(
          stdout
            .trimEnd()
            .split("\n\n")
            .at(-1)
            ?.replaceAll(/"([^"]*)"/g, "$1"),
        ).toBe(said);
      }));

    it("ranks as the engine", () =>
      through(door, name, async ({ call }, engine) => {
        const { structured: told } = await call("leaderboard", { scorers: ["correct"], ...BIG });
        const answer = await engine.leaderboard(project, { scorers: ["correct"] });
        expect(told.data.dimensions).toEqual(answer.dimensions);
        const whole = told.data.entries.map((one: object, i: number) =>
          withNulls(one as never, answer.entries[i] ?? {}),
        );
        expect(whole).toEqual(asJson(answer.entries));
      }));

    it("summarises as the engine", () =>
      through(door, name, async ({ call }, engine) => {
        const { structured: told } = await call("summary", { evaluations: both, pass_k: [1, 2], ...BIG });
        const { summary } = await engine.queryEvalResults(project, {
          evaluation_call_ids: both,
          include_rows: false,
          include_summary: true,
          include_uncertainty: true,
          include_row_counts: true,
          include_errors: true,
          pass_k: [1, 2],
        });
        const list = await engine.listEvaluations(project);
        const evaluations = summary.evaluations.map(({ errors, ...one }) => ({
          ...one,
          other_error_count: undefined,
          error_count: list.find(({ id }) => id === one.evaluation_call_id)?.error_count,
          quoted: { errors },
        }));
        expect(told).not.toHaveProperty("error");
        expect(told.data).toEqual(asJson({ row_count: summary.row_count, evaluations }));
      }));

    it("finds rows, and reads one, as the engine", () =>
      through(door, name, async ({ call }, engine) => {
        const moved = { field: "scores.correct", baseline, direction: "any" } as const;
        const { structured: told } = await call("rows", {
          evaluations: both,
          moved,
          include_outputs: true,
          ...BIG,
        });
        const whole = {
          evaluation_call_ids: both,
          include_raw_data_rows: true,
          resolve_row_refs: true,
          include_trial_errors: true,
        };
        const answer = await engine.queryEvalResults(project, { ...whole, moved });
        expect(told.data.total_rows).toBe(answer.total_rows);
        const rows = answer.rows.map((row) => ({
          row_digest: row.row_digest,
          input: row.raw_data_row,
          evaluations: row.evaluations.map(({ evaluation_call_id, trials }) => ({
            evaluation_call_id,
            trials: trials.map(({ scores, error, model_output: output }) => ({
              scores,
              ...(error == null ? {} : { error }),
              output,
            })),
          })),
        }));
        expect(told.data.rows).toEqual(asJson(rows));
        const digest = answer.rows[0]?.row_digest ?? "";
        const { structured: one } = await call("row", { row: digest.slice(0, 8), evaluations: both, ...BIG });
        expect(one.data.row_digest).toBe(digest);
        expect(
          one.data.evaluations.map((each: { evaluation_call_id: string }) => each.evaluation_call_id),
        ).toEqual(answer.rows[0]?.evaluations.map((each) => each.evaluation_call_id));
        const trial = answer.rows[0]?.evaluations[0]?.trials[0];
        expect(one.data.evaluations[0].trials[0]).toEqual(
          asJson({
            trial_id: trial?.predict_and_score_call_id,
            output: trial?.model_output,
            scores: trial?.scores,
            error: trial?.error ?? null,
            model_latency_seconds: trial?.model_latency_seconds,
            total_tokens: trial?.total_tokens,
          }),
        );
      }));

    it("runs SQL, lists runs and projects, and gives the command that says the same", () =>
      through(door, name, async ({ call }) => {
        const asked = [
          await call("sql", {
            statement: "-- each\nselect trial_id, model_latency_seconds from trials order by 1 limit 5",
          }),
          await call("list_evaluations", BIG),
        ];
        for (const { structured: told } of asked) {
          const { argv } = told.request as { argv: string[] };
          const [command = "", ...rest] = argv;
          const { stdout, status } = await evalcubeHere([command, "--db", files.get(name) ?? "", ...rest]);
          expect(status).toBe(0);
          const printed = JSON.parse(stdout) as Record<string, unknown>[];
          const shown =
            command === "sql"
              ? told.data.records
              : told.data.evaluations.map((one: { id: string }) => one.id);
          const wanted = printed.map((one) => (command === "sql" ? Object.values(one) : one["id"]));
          expect(new Set(shown.map(String))).toEqual(new Set(wanted.map(String)));
        }
        const { structured: projects } = await call("list_projects");
        expect(projects.data.projects).toEqual([
          { project_id: project, evaluation_count: projects.data.projects[0].evaluation_count },
        ]);
      }));
  });
});
