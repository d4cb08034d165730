import { describe, expect, it } from "vitest";
import { VIEW_NAMES } from "../../src/duckdb/views/views.ts";
import { openEngine, type Engine, type StoreWarning } from "../../src/index.ts";
import { runOn } from "../support/duckdb.ts";
import { call, PROJECT, root, trial } from "../support/records.ts";
import { scratchPath } from "../support/scratch.ts";

const ATTRIBUTES = { commit: "4e5f607", tags: ["a"] };

async function fill(engine: Engine): Promise<void> {
  await engine.ingestCalls([
    root("e", { display_name: "first", attributes: ATTRIBUTES, ended_at: "2026-01-01T00:00:09Z" }),
    trial(
      "e1",
      { q: 1 },
      { acc: 0.25, ok: true, judge: { tone: 'calm "', "a.b": 2 } },
      { attributes: { n: 1 } },
    ),
    trial(
      "e2",
      { q: 2 },
      { acc: 0.75, ok: false, nothing: null },
      { output: { model_output: 1, scores: {} } },
    ),
    call("late", { parent_id: "e2", op_name: "late.score", attributes: { svc: { score: true } }, output: 5 }),
    root("gone"),
    trial("g1", { q: 1 }, { acc: 1 }, { parent_id: "gone" }),
    root("other", { project_id: "acme/other" }),
    trial("o1", { q: 1 }, { acc: 9 }, { parent_id: "other", project_id: "acme/other" }),
  ]);
  await engine.ingestRows([{ project_id: PROJECT, val: { q: "unused" } }]);
  await engine.deleteCalls(PROJECT, ["gone"]);
  const ref = `svc:///${PROJECT}/call/e1`;
  const sent = { project_id: PROJECT, svc_ref: ref, feedback_type: "note", payload: { n: 1 } };
  await engine.feedback.create(sent, { userId: "ann" });
  const model = await engine.training.registerModel(
    { project: "qa", name: "m", base_model: "b" },
    { entity: "acme" },
  );
  await engine.training.addCheckpoint(model.id, { step: 1, metrics: { reward: 0.5 } });
}

/** The warnings of an engine that is opened there and closed again. */
async function opened(path: string, readOnly = false) {
  const warnings: StoreWarning[] = [];
  await using engine = await openEngine({
    path,
    readOnly,
    threads: 1,
    onWarning: (one) => warnings.push(one),
  });
  await engine.listProjects();
  return warnings.map(({ code, message }) => [code, message]);
}

describe("the views for other programs", () => {
  it("have the columns and records that statements read of each project, times without a zone", async () => {
    const path = scratchPath();
    const views = new Map<string, unknown>();
    {
      await using engine = await openEngine({ path, threads: 2 });
      await fill(engine);
      for (const view of VIEW_NAMES) {
        const columns = view === "results" ? "columns(c -> not starts_with(c, 'scores.'))" : "*";
        const records = await engine.sql(
          PROJECT,
          `select to_json(v) as v from (select ${columns} from ${view}) as v order by 1`,
        );
        views.set(
          view,
          records.toArray().map((one) => String(one["v"])),
        );
      }
    }
    for (const view of VIEW_NAMES) {
      const columns = view === "results" ? "* exclude (project_id, scores)" : "* exclude (project_id)";
      const records = await runOn(
        path,
        "SET TimeZone = 'UTC'",
        `SELECT to_json(v) FROM (SELECT ${columns} FROM evalcube.${view} WHERE project_id = '${PROJECT}') AS v ORDER BY 1`,
      );
      // A time with a zone is written as +00.
      expect(
        records.map(([one]) => String(one)),
        view,
      ).toEqual((views.get(view) as string[]).map((one) => one.replaceAll('+00"', '"')));
    }
    const [first] = await runOn(path, "DESCRIBE evalcube.trials");
    expect(first?.slice(0, 2)).toEqual(["project_id", "VARCHAR"]);
    const types =
      "SELECT DISTINCT data_type FROM duckdb_columns() WHERE schema_name = 'evalcube' AND column_name LIKE '%_at'";
    expect(await runOn(path, types)).toEqual([["TIMESTAMP"]]);
  });

  it("have the scores of a trial as one JSON object, and attributes, over all projects", async () => {
    const path = scratchPath();
    {
      await using engine = await openEngine({ path, threads: 2 });
      await fill(engine);
    }
    expect(
      await runOn(path, "SELECT project_id, trial_id, scores, attributes FROM evalcube.results ORDER BY ALL"),
    ).toEqual([
      ["acme/other", "o1", '{"acc":9.0}', null],
      [PROJECT, "e1", String.raw`{"acc":0.25,"judge.a\\.b":2.0,"judge.tone":"calm \"","ok":true}`, '{"n":1}'],
      [PROJECT, "e2", '{"late":5.0}', null],
    ]);
    expect(
      await runOn(path, "SELECT evaluation_call_id, attributes FROM evalcube.evaluations ORDER BY ALL"),
    ).toEqual([
      ["e", JSON.stringify(ATTRIBUTES)],
      ["other", null],
    ]);
  });
});

describe("a file into which another program wrote", () => {
  it("is told at the next opening, for reading and for writing", async () => {
    const path = scratchPath();
    {
      await using engine = await openEngine({ path, threads: 1 });
      await fill(engine);
    }
    expect([await opened(path), await opened(path, true)]).toEqual([[], []]);
    await runOn(
      path,
      "DELETE FROM trials WHERE id = 'e1'",
      "DELETE FROM scores WHERE trial_key NOT IN (SELECT trial_key FROM trials)",
    );
    const told = [
      "changed_elsewhere",
      `${path} was changed by another program (scores: 2, not 6, trials: 2, not 3); evalcube check tells more`,
    ];
    expect([await opened(path, true), await opened(path)]).toEqual([[told], [told]]);
    {
      await using engine = await openEngine({ path, threads: 1 });
      await engine.ingestCalls([trial("e3", { q: 3 }, { acc: 1 })]);
    }
    expect(await opened(path)).toEqual([]);
  });
});
