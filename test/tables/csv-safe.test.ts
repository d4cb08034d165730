import { Writable } from "node:stream";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { refusal } from "../support/refusal.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine({ threads: 1 });
  await engine.ingestCalls([
    root("e"),
    trial("t", { n: 1 }, { "=note": "@SUM(A1)", worse: -1.5, text: "-1.5" }, { parent_id: "e" }),
  ]);
});
afterAll(() => engine.close());

function collector() {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString("utf8") };
}

async function csvOf(statement: string, csvSafe: boolean): Promise<string> {
  const { stream, text } = collector();
  await engine.exportSql(PROJECT, statement, [], { format: "csv", stream, csvSafe });
  return text();
}

const STATEMENT = `SELECT '=1+1' AS "=a", '+1' AS b, '-1' AS c, '@x' AS d, chr(9) || '=1' AS e, chr(13) || '=1' AS f,
  'a=1' AS g, '' AS h, NULL::VARCHAR AS i, -1 AS j, -1.5::DOUBLE AS k`;

it("writes an apostrophe before texts and names that a spreadsheet takes for a formula, never before numbers", async () => {
  expect(await csvOf(STATEMENT, true)).toBe(
    `"'=a","b","c","d","e","f","g","h","i","j","k"\r\n` +
      `"'=1+1","'+1","'-1","'@x","'\t=1","'\r=1","a=1","",,-1,-1.5\r\n`,
  );
});

it("writes cells as they are unless it is asked for", async () => {
  expect(await csvOf(STATEMENT, false)).toContain(
    '"=1+1","+1","-1","@x","\t=1","\r=1","a=1","",,-1,-1.5\r\n',
  );
});

it("does so for the trials of a request", async () => {
  const { stream, text } = collector();
  await engine.exportResults(
    PROJECT,
    { evaluation_call_ids: ["e"] },
    { format: "csv", stream, csvSafe: true },
  );
  expect(text()).toContain(`"'@SUM(A1)"`);
  expect(text()).toContain(`"'-1.5"`);
  expect(text()).toMatch(/,-1\.5[,\r]/);
});

it("is for CSV alone", async () => {
  const { stream } = collector();
  const error = await refusal(
    engine.exportSql(PROJECT, "SELECT 1", [], { format: "json", stream, csvSafe: true }),
  );
  expect(error.message).toBe("csvSafe is for the format csv");
});
