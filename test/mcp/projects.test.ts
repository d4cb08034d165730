import { describe, expect, it } from "vitest";
import { exampleCalls } from "../cli/command.ts";
import { scratchEngine, scratchPath } from "../support/scratch.ts";
import { openEngine, type CallRecord } from "../../src/index.ts";
import { connect, serviceOf, startMcp, type Asker } from "./clients.ts";

/** The same calls in a project of another name; the evaluations are named after it. */
function callsOf(project: string): CallRecord[] {
  const [, name] = project.split("/");
  const text = JSON.stringify(exampleCalls()).replaceAll("acme/qa", project);
  return JSON.parse(
    text.replaceAll('"good', `"${name}-good`).replaceAll('"bad', `"${name}-bad`),
  ) as CallRecord[];
}

const QUESTIONS: readonly (readonly [string, object])[] = [
  ["list_evaluations", {}],
  ["describe_fields", {}],
  ["leaderboard", {}],
  ["compare", { baseline: "secret-good", candidates: ["secret-bad"] }],
  ["summary", { evaluations: ["secret-good"] }],
  ["rows", { evaluations: ["secret-good"] }],
  ["row", { row: "abcdef", evaluations: ["secret-good"] }],
  ["sql", { statement: "select * from trials" }],
];

async function checkForeign({ call }: Asker): Promise<void> {
  const all = await call("list_projects");
  expect(all.structured.data.projects.map((one: { project_id: string }) => one.project_id)).toEqual([
    "acme/mine",
  ]);
  for (const [tool, args] of QUESTIONS) {
    const foreign = await call(tool, { project: "acme/secret", ...args });
    const none = await call(tool, { project: "acme/nowhere", ...args });
    expect(foreign.isError).toBe(true);
    expect(foreign.text.replaceAll("acme/secret", "acme/nowhere")).toBe(none.text);
    // Neither names nor rows of it by any other way.
    const own = await call(tool, { project: "acme/mine", ...args });
    const shown = JSON.stringify(own.structured).replaceAll(/"secret-good"|\\"secret-good\\"/g, "");
    expect(shown).not.toContain("secret");
  }
}

describe("projects that a caller may not name are as if they did not exist", () => {
  it("for a key of the service", async () => {
    const engine = await scratchEngine();
    for (const name of ["acme/mine", "acme/secret", "other/secret"]) await engine.ingestCalls(callsOf(name));
    const asker = await connect("2025-11-25", serviceOf(engine, ["acme/mine"]).transport());
    await checkForeign(asker);
    // The only one that the key may name needs no name.
    expect((await asker.call("list_evaluations")).structured.says).toEqual(["2 evaluations."]);
    await asker.close();
  });

  it("for a server of one project", async () => {
    const path = scratchPath();
    const engine = await openEngine({ path, threads: 1 });
    for (const name of ["acme/mine", "acme/secret"]) await engine.ingestCalls(callsOf(name));
    await engine.close();
    const { transport, ended } = startMcp(["--db", path, "--project", "acme/mine"]);
    const asker = await connect("2025-11-25", transport);
    await checkForeign(asker);
    await asker.close();
    expect(await ended).toEqual({ status: 0, stderr: "evalcube mcp: evals.duckdb, read only\n" });
  });
});

it("says which projects there are where none is named", async () => {
  const engine = await scratchEngine();
  for (const name of ["acme/one", "acme/two"]) await engine.ingestCalls(callsOf(name));
  const { call, close } = await connect("2024-10-07", serviceOf(engine).transport());
  expect((await call("list_evaluations")).text).toBe(
    "project: there are 2, name one: acme/one, acme/two; list_projects has them all.",
  );
  expect((await call("list_evaluations", { project: "acme/too" })).text).toBe(
    'project: no project "acme/too"; did you mean "acme/two"? list_projects has them all.',
  );
  await close();
});
