import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { put, temporaryFolder } from "../cli/command.ts";
import { evalcubeHere } from "../cli/in-process.ts";
import { exampleCalls, lacks, filtered, ndjson, PROJECT, type Says } from "./example.ts";

const { folder, remove } = temporaryFolder();
const at = (name: string) => join(folder, name);
const db = at("evals.duckdb");
const of = (...words: readonly string[]) => [...words, "--db", db, "--project", PROJECT];
const misspelt = JSON.stringify(filtered("scores.corect", true));

beforeAll(async () => {
  const calls = put(folder, "calls.ndjson", ndjson(exampleCalls()));
  await evalcubeHere(["ingest", "--db", db, calls]);
  put(folder, "notes.txt", "these are notes\n".repeat(1000));
  put(folder, "broken.json", '{\n  "limit": 3,\n  "offset" 4\n}');
});

afterAll(remove);

const REFUSED: readonly (readonly [mistake: string, args: readonly string[], input: string, says: Says])[] = [
  ["a misspelt command", ["evaluation"], "", ["evaluation", "Did you mean evaluations"]],
  ["a misspelt option", of("evaluations", "--formt", "json"), "", ["--formt", "--format"]],
  [
    "a project without entity",
    ["evaluations", "--db", db, "--project", "qa"],
    "",
    ["--project", "qa", /entity\/project/i],
  ],
  [
    "a database that is not there",
    ["evaluations", "--db", at("none.duckdb"), "--project", PROJECT],
    "",
    ["none.duckdb", /ingest/],
  ],
  ["a file that is no database", ["check", "--db", at("notes.txt")], "", ["notes.txt", "database"]],
  ["a request that is not there", of("query", at("request.jsn")), "", ["request.jsn", /no such file/i]],
  ["a request that is not JSON", of("query", at("broken.json")), "", ["broken.json", "JSON", "line 3"]],
  ["a misspelt member", of("query", "-"), '{"limt": 3}', ["limt", 'did you mean \\"limit\\"']],
  ["a member of a wrong type", of("query", "-"), '{"limit": "3"}', ["limit", "number"]],
  [
    "a format that is not there",
    of("export", "--format", "xlsx", "--out", at("x")),
    "",
    ["--format", "xlsx", "parquet"],
  ],
  ["a misspelt view", of("sql", "select * from trails"), "", ["trails", "trials"]],
  ["no statement", of("sql", ""), "", ["statement", /empty|SELECT/]],
  [
    "a comparison of a misspelt scorer",
    of("compare", "--baseline", "good", "--candidate", "bad", "--scorer", "corect"),
    "",
    ["corect", /did you mean \\?"correct/],
  ],
  [
    "a comparison with an unknown evaluation",
    of("compare", "--baseline", "good", "--candidate", "baad"),
    "",
    ["baad", /did you mean \\?"bad/],
  ],
  [
    "a file that is not there",
    ["ingest", "--db", db, at("nothing.ndjson")],
    "",
    ["nothing.ndjson", /no such file/i],
  ],
  [
    "a kind that the file does not have",
    ["ingest", "--db", db, "--kind", "rows", at("calls.ndjson")],
    "",
    ["calls.ndjson", "record 1", "val", "--kind calls"],
  ],
  [
    "a service without a keys file",
    ["serve", "--db", db, "--keys", at("keys.json"), "--port", "0"],
    "",
    ["keys.json", "keys create"],
  ],
  [
    "a port in words",
    ["serve", "--db", db, "--keys", at("keys.json"), "--port", "http"],
    "",
    ["--port", "http", "65535"],
  ],
  [
    "a copy over a file",
    ["backup", "--db", db, "--out", at("notes.txt")],
    "",
    ["notes.txt", /exists|is a file/],
  ],
];

const WARNED: readonly (readonly [mistake: string, args: readonly string[], input: string, says: Says])[] = [
  ["a misspelt score of a query", of("query", "-"), misspelt, ["scores.corect", "scores.correct"]],
  [
    "a misspelt score of a table",
    of("query", "-", "--format", "table"),
    misspelt,
    ["scores.corect", "scores.correct"],
  ],
  [
    "a misspelt score of an export",
    of("export", "-", "--format", "csv", "--out", "-"),
    misspelt,
    ["scores.corect", "scores.correct"],
  ],
];

describe("a mistake on the command line", () => {
  it.each(REFUSED)("is refused by name: %s", async (_, args, input, says) => {
    const { status, stderr } = await evalcubeHere(args, input);
    expect(status).toBeGreaterThan(0);
    expect(lacks(stderr, says)).toEqual([]);
    expect(stderr).not.toMatch(/"body"|body\./);
  });

  it.each(WARNED)("is a warning on standard error: %s", async (_, args, input, says) => {
    const { status, stderr } = await evalcubeHere(args, input);
    expect(status).toBe(0);
    expect(lacks(stderr, says)).toEqual([]);
  });
});
