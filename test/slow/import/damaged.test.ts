import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Engine } from "../../../src/index.ts";
import { damaged } from "../../import/damage.ts";
import { importBytes, recordCount } from "../../import/imports.ts";
import { evalLog, header, jsonLog, sample } from "../../import/inspect-logs.ts";
import { promptfooLog, result } from "../../import/promptfoo-logs.ts";

const COUNT = Number(process.env["COUNT"] ?? 1000);

let engine: Engine;

beforeAll(async () => {
  engine = await openEngine();
});

afterAll(() => engine.close());

const samples = [sample(1, 1, { grade: "C" }), sample(2, 1, { grade: "I" })];

describe(`${COUNT} damaged forms of a file`, () => {
  it.each([
    ["an .eval log", evalLog(header(), samples)],
    ["a .json log", Buffer.from(jsonLog(header(), samples))],
    ["a promptfoo log", Buffer.from(JSON.stringify(promptfooLog([[result(0, 0, 1), result(0, 1, 0)]])))],
    ["a table", Buffer.from('id,model,question,score\n1,m,"a, b",0.5\n2,m,c,1\n3,n,d,\n')],
  ])("of %s are imported, or store nothing and say why in one line", async (_, bytes) => {
    for (const kind of ["cut", "flip"] as const) {
      for (const changed of damaged(bytes, COUNT, kind)) {
        const before = await recordCount(engine);
        const ended: unknown = await importBytes(engine, changed).catch((error: unknown) => error);
        if (!(ended instanceof Error)) continue;
        expect([ended.name, /^log[,:] [^\n]+$/.test(ended.message)]).toEqual(["ImportError", true]);
        expect(await recordCount(engine)).toBe(before);
      }
    }
  });
});
