import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openEngine } from "../../src/index.ts";
import { codesIn, readPage, ROOT, tableWith } from "./pages.ts";

const text = readPage("docs/reference.md");
const sources = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => readFileSync(join(ROOT, "src", name), "utf8"))
  .join("\n");

it("names every member of the engine, and no other", async () => {
  const engine = await openEngine();
  await engine.close();
  const named = tableWith(text, ["member", "does", "page"]).map(
    ([cell = ""]) => codesIn(cell)[0]?.split("(")[0],
  );
  expect(new Set(named)).toEqual(new Set(Object.keys(engine)));
});

it("names the methods of feedback and training", async () => {
  const engine = await openEngine();
  await engine.close();
  for (const name of ["feedback", "training"] as const) {
    const line = text.split("\n").find((one) => one.startsWith(`| \`${name}\``)) ?? "";
    expect(codesIn(line).slice(1)).toEqual(Object.keys(engine[name]));
  }
});

it("names every option of openEngine", () => {
  const named = tableWith(text, ["option", "default", ""]).flatMap(([cell = ""]) => codesIn(cell));
  const bodies = sources.matchAll(/^export interface (?:Engine|Training)Options.*?\{(.*?)^\}/gms);
  const declared = [...bodies].flatMap(([, body = ""]) =>
    [...body.matchAll(/readonly (\w+)\?/g)].map(([, name]) => name),
  );
  expect(new Set(named)).toEqual(new Set(declared));
});
