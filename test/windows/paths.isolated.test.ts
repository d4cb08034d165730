import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import { scratchFolder } from "../support/scratch.ts";

vi.mock("../../src/flow/system.ts", () => ({ ON_WINDOWS: true, OPENS_BY_ITSELF: true }));
const opened = vi.hoisted(() => ({ address: "", path: "" }));
vi.mock("open", () => ({
  default: (address: string) => {
    Object.assign(opened, { address, path: process.env["PATH"] ?? "" });
    return Promise.resolve();
  },
}));

const { readAddress } = await import("../../src/cli/options/address.ts");
const { findFiles } = await import("../../src/ingest/sources/find-files.ts");
const { openInBrowser } = await import("../../src/programs/open-in-browser.ts");
const { keptName } = await import("../../src/runners/kept-runs.ts");

describe("on Windows, the value of --db", () => {
  it.each([
    String.raw`C:\evals.duckdb`,
    String.raw`c:\Users\Ann Lee\evals.duckdb`,
    "C:evals.duckdb",
    "C:/evals.duckdb",
    String.raw`\\server\share\evals.duckdb`,
    String.raw`\\?\C:\evals.duckdb`,
    String.raw`..\evals.duckdb`,
    String.raw`C:\NUL`,
    "con.duckdb",
    `C:\\${"long\\".repeat(60)}evals.duckdb`,
    "EVALS.DuckDB",
  ])("is a path, and never an address: %s", (text) => {
    expect(readAddress(text, {})).toEqual({ path: text });
  });

  it.each([
    ["file:///C:/evals.duckdb", String.raw`C:\evals.duckdb`],
    ["file:///c:/Users/Ann%20Lee/evals.duckdb", String.raw`c:\Users\Ann Lee\evals.duckdb`],
    ["FILE:///C:/evals.duckdb", String.raw`C:\evals.duckdb`],
    ["file://server/share/evals.duckdb", String.raw`\\server\share\evals.duckdb`],
  ])("is the path that it names: %s", (text, file) => {
    expect(readAddress(text, {})).toEqual({ path: file });
  });

  it.each(["file:///evals.duckdb", "file:evals.duckdb", "file://C:%2Fevals.duckdb"])(
    "is refused where it names no path with a drive: %s",
    (text) => {
      expect(() => readAddress(text, {})).toThrow("is no path of a file on this machine");
    },
  );
});

it("on Windows a pattern finds files with slashes of both kinds, in the order of their names", async () => {
  const folder = scratchFolder();
  mkdirSync(path.join(folder, "logs"));
  for (const name of ["b.json", "a.json", "c.txt"]) writeFileSync(path.join(folder, "logs", name), "[]");
  const found = ["a.json", "b.json"].map((name) => path.join(folder, "logs", name));
  expect(await findFiles(`${folder}/logs/*.json`)).toEqual(found);
  expect(await findFiles(`${folder.replaceAll("/", "\\")}\\logs\\*.json`)).toEqual(found);
  expect(await findFiles(`${folder}\\lo*\\*.json`)).toEqual(found);
});

it("a browser is opened by the package for it, which looks for programs where none came with data", async () => {
  const before = process.env["PATH"];
  vi.stubEnv(
    "PATH",
    ["node_modules/.bin", path.resolve("node_modules/.bin"), ".", path.parse("/").root].join(path.delimiter),
  );
  await openInBrowser("file:///C:/view.html");
  expect(process.env["PATH"]).toContain("node_modules");
  vi.unstubAllEnvs();
  expect(process.env["PATH"]).toBe(before);
  expect(opened).toEqual({ address: "file:///C:/view.html", path: path.parse("/").root });
});

it.each(["2026-11-29T04:20:00.000Z", 'a<b>c:d"e/f\\g|h?i*j', "con", "nul.", "a b "])(
  "what a runner keeps of the run %j has a name that Windows takes",
  (run) => {
    const name = path.win32.basename(keptName(String.raw`C:\evals.duckdb`, run));
    expect(name).not.toMatch(/[<>:"\\|?*]|[. ]$|^(?:con|nul|prn|aux|com\d|lpt\d)(?:\.|$)/i);
  },
);
