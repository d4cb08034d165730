import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Engine } from "../../../src/index.ts";
import { damaged } from "../../import/damage.ts";
import { PROJECT } from "../../import/imports.ts";
import { formsIn, type Form } from "./forms.ts";

/** Damaged forms of each kind of file, half of them cut and half of them changed. */
const COUNT = Number(process.env["COUNT"] ?? 200);

const folder = mkdtempSync(path.join(tmpdir(), "evalcube-damaged-"));
let engine: Engine;
let forms: Form[];

beforeAll(async () => {
  engine = await openEngine();
  forms = await formsIn(folder);
});

afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

async function recordCount(): Promise<string> {
  const table = await engine.sql(
    PROJECT,
    "SELECT (SELECT count(*) FROM calls) AS n_calls, (SELECT count(*) FROM rows) AS n_rows",
  );
  return JSON.stringify(table.toArray(), (_, value: unknown) =>
    typeof value === "bigint" ? String(value) : value,
  );
}

/** What is wrong with how an import ended; null where it was stored, or refused as it should be. */
function complaint(ended: unknown): string | null {
  if (!(ended instanceof Error)) return null;
  return ended.name === "ImportError" && /^[^\n]+[,:] [^\n]+$/.test(ended.message)
    ? null
    : `${ended.name}: ${ended.message}`;
}

describe(`${COUNT} damaged forms of each kind of file`, () => {
  it("are imported, or store nothing and say why in one line", async () => {
    const ended: Record<string, readonly [stored: number, refused: number]> = {};
    for (const { name, bytes, load } of forms) {
      expect(complaint(await load(engine, bytes).catch((error: unknown) => error))).toBeNull();
      let [stored, refused, before] = [0, 0, await recordCount()];
      for (const kind of ["cut", "flip"] as const) {
        for (const changed of damaged(bytes, COUNT / 2, kind)) {
          const outcome: unknown = await load(engine, changed).catch((error: unknown) => error);
          expect([name, changed.length, complaint(outcome)]).toEqual([name, changed.length, null]);
          const isRefused = outcome instanceof Error;
          const after = await recordCount();
          expect([name, kind, changed.length, after === before || !isRefused]).toEqual([
            name,
            kind,
            changed.length,
            true,
          ]);
          if (isRefused) refused++;
          else stored++;
          before = after;
        }
      }
      ended[name] = [stored, refused];
    }
    process.stdout.write(`${JSON.stringify(ended)}\n`);
  }, 3_600_000);
});
