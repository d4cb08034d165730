import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openEngine } from "../../src/index.ts";
import { evalcubeHere } from "../cli/in-process.ts";
import { importBytes, PROJECT } from "../import/imports.ts";
import { scratchEngine, scratchFolder } from "../support/scratch.ts";

/*
 * What editors and git of Windows write: lines that end in CR LF. It is read as the same text with LF is.
 */

const ROOT = path.join(import.meta.dirname, "../..");
const EXAMPLES = path.join(ROOT, "docs/examples");

const crlf = (text: string) => text.replaceAll(/\r?\n/g, "\r\n");

/** Files with results that the importers read. */
const LOGS = [
  ...["answers.csv", "inspect-log.json", "promptfoo-log.json", "summary.json"].map((name) =>
    path.join(EXAMPLES, name),
  ),
  ...readdirSync(path.join(ROOT, "test/import/field-cases")).map((name) =>
    path.join(ROOT, "test/import/field-cases", name),
  ),
];

/** What an import stored, or why it stored nothing, without what is made of bytes or the time. */
async function imported(name: string, text: string) {
  const engine = await scratchEngine();
  const found = await importBytes(engine, text, { check: "off" }, name).catch((error: unknown) =>
    String(error),
  );
  if (typeof found === "string") return found;
  const ids = found.evaluations.map((one) => one.evaluation_call_id);
  const { summary, rows } = await engine.queryEvalResults(PROJECT, {
    evaluation_call_ids: ids,
    include_summary: true,
    include_raw_data_rows: true,
  });
  const stats = summary?.evaluations.map(({ scorer_stats }) => scorer_stats);
  const outputs = rows.flatMap((row) =>
    row.evaluations.flatMap((one) => one.trials.map((trial) => trial.model_output)),
  );
  return {
    format: found.format,
    notes: found.notes,
    stats,
    inputs: rows.map((row) => row.raw_data_row),
    outputs,
  };
}

it.each(LOGS)("an import reads %s with CR LF as with LF", async (file) => {
  const text = readFileSync(file, "utf8");
  const name = path.basename(file);
  expect(await imported(name, crlf(text))).toEqual(await imported(name, text));
});

/** A folder with the examples and a database of them, all texts with CR LF. */
async function windowsFolder(): Promise<string> {
  const folder = scratchFolder();
  for (const name of ["calls.ndjson", "request.json", "prices.json", "sums.eval.ts"])
    writeFileSync(path.join(folder, name), crlf(readFileSync(path.join(EXAMPLES, name), "utf8")));
  const { status } = await evalcubeHere([
    "ingest",
    "--db",
    path.join(folder, "evals.duckdb"),
    path.join(folder, "calls.ndjson"),
  ]);
  expect(status).toBe(0);
  return folder;
}

describe("with CR LF", () => {
  it("calls are those that they are with LF, in a file, in bytes and on standard input", async () => {
    const text = readFileSync(path.join(EXAMPLES, "calls.ndjson"), "utf8");
    const folder = scratchFolder();
    const database = path.join(folder, "evals.duckdb");
    await using engine = await openEngine({ path: database });
    const { stored } = await engine.ingestCalls(path.join(EXAMPLES, "calls.ndjson"));
    writeFileSync(path.join(folder, "calls.ndjson"), crlf(text));
    const again = await engine.ingestCalls(path.join(folder, "calls.ndjson"));
    expect(again).toMatchObject({ stored: 0, unchanged: stored });
    await engine.close();
    const { stdout } = await evalcubeHere(["ingest", "--db", database, "--format", "json", "-"], crlf(text));
    expect(JSON.parse(stdout)).toMatchObject({ stored: 0, unchanged: stored });
  });

  it("a request and prices are read as with LF", async () => {
    const folder = await windowsFolder();
    const on = ["--db", path.join(folder, "evals.duckdb"), "--project", "acme/qa", "--format", "json"];
    const sides = ["--baseline", "baseline", "--candidate", "candidate", "--costs", "--prices"];
    for (const name of ["request.json", "prices.json"]) {
      const ask = (from: string) =>
        evalcubeHere(
          name === "request.json"
            ? ["query", ...on, path.join(from, name)]
            : ["compare", ...on, ...sides, path.join(from, name)],
        );
      const [here, there] = [await ask(folder), await ask(EXAMPLES)];
      expect(here).toMatchObject({ status: 0 });
      expect(here).toEqual(there);
    }
  });

  it("a module runs", async () => {
    const folder = await windowsFolder();
    const run = await evalcubeHere([
      "run",
      path.join(folder, "sums.eval.ts"),
      "--db",
      path.join(folder, "runs.duckdb"),
      "--project",
      "acme/sums",
    ]);
    expect(run).toMatchObject({ status: 0 });
  });

  it("a file of keys is read and written", async () => {
    const keys = path.join(scratchFolder(), "keys.json");
    const create = ["keys", "create", "--keys", keys, "--project", "acme/*", "--user"];
    expect(await evalcubeHere([...create, "ann"])).toMatchObject({ status: 0 });
    writeFileSync(keys, crlf(readFileSync(keys, "utf8")));
    expect(await evalcubeHere([...create, "bob"])).toMatchObject({ status: 0 });
    const { stdout } = await evalcubeHere(["keys", "list", "--keys", keys]);
    expect(stdout).toContain("ann");
    expect(stdout).toContain("bob");
  });
});
