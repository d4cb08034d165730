import { h } from "preact";
import { renderToString } from "preact-render-to-string";
import { expect, it } from "vitest";
import { RowComparison } from "../../src/view/row-dialog/row-comparison.tsx";
import type { RowColumnsShown } from "../../src/view/row-parts/rows-state.ts";
import { makeReport } from "../../src/view/make-report.ts";
import { readPacked } from "../../src/view/payload/packed-rows.ts";
import { reportRows } from "../../src/view/rows/report-rows.ts";
import type { RowDetail, RowSource } from "../../src/view/rows/row-source.ts";
import { serviceRows } from "../../src/view/service/service-rows.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { scratchEngine } from "../support/scratch.ts";

const IDS = ["before", "after"];
const ROWS = 12;

/** Two evaluations of rows with keys, of which row 3 was edited between them. */
async function twoEvaluations() {
  const engine = await scratchEngine();
  for (const id of IDS)
    await engine.ingestCalls([
      root(id, { display_name: id }),
      ...Array.from({ length: ROWS }, (_, n) =>
        trial(
          `${id}-${n}`,
          { n, text: n === 3 ? `<${id}>` : "same" },
          { ok: n % 2 === 0 },
          { parent_id: id, attributes: { row_key: `q${n}` } },
        ),
      ),
    ]);
  return engine;
}

async function editedIn(source: RowSource, digests: readonly string[]) {
  const { signal } = new AbortController();
  const details = await Promise.all(digests.map((digest) => source.detail(digest, signal)));
  return details.filter((one): one is RowDetail => one !== null && one.editedInputs !== null);
}

const none = () => undefined;

function dialogOf(detail: RowDetail): string {
  const names = IDS.map((id) => ({ id, text: id, short: id, full: id }));
  const columns: RowColumnsShown = { names, baseline: "before", candidate: "after", score: null };
  const unused = { chooseWith: none, setMarking: none, chooseAttempts: none };
  const state = { with: [], attempts: [], marking: false, success: null };
  return renderToString(
    h(RowComparison, { detail, source: null, hasSteps: false, columns, ...unused, ...state }),
  );
}

const HELD = [
  { n: 3, text: "<before>" },
  { n: 3, text: "<after>" },
];

async function report(options: object = {}) {
  const engine = await twoEvaluations();
  const { html, answers } = await makeReport(engine, PROJECT, { evaluations: IDS, ...options });
  const text = /id="evalcube-rows">([^<]*)</.exec(html)?.[1] ?? "";
  const packed = await readPacked(text);
  const edited = await editedIn(reportRows(packed), packed.columns.digests());
  return { engine, html, answers, edited, digests: packed.columns.digests() };
}

it("a report and a service have what each evaluation holds of an edited row, and the dialog shows both", async () => {
  const { engine, answers, edited, digests } = await report();
  const service = {
    get: () => Promise.reject(new Error("nothing is read")),
    post: (_: string, body: unknown) => engine.queryEvalResults(PROJECT, body as never),
  };
  const served = await editedIn(serviceRows(service as never, answers), digests);
  for (const [detail, ...others] of [edited, served]) {
    expect(others).toEqual([]);
    const held = new Map(answers.evaluations.map(({ id }, i) => [id, detail?.editedInputs?.[i]]));
    expect(IDS.map((id) => held.get(id))).toEqual(HELD);
    const shown = detail === undefined ? "" : dialogOf({ ...detail, editedInputs: HELD });
    expect(shown).toContain("<strong>Edited</strong>");
    expect(shown).toMatch(/Input of .*&lt;before>.*Input of .*&lt;after>/s);
  }
});

it("the dialog of another row shows its one input, and says nothing of edits", async () => {
  const { edited } = await report();
  const [detail] = edited;
  const shown = detail === undefined ? "" : dialogOf({ ...detail, editedInputs: null });
  expect(shown).toContain(">Input<");
  expect(shown).not.toContain("Edited");
});

it("a report without room for inputs still says which rows were edited", async () => {
  const { edited } = await report({ max_bytes: 1 });
  expect(edited.map(({ editedInputs }) => editedInputs)).toEqual([[undefined, undefined]]);
});

it("a report says that edited rows are compared, or left out where that is asked for", async () => {
  const { html } = await report();
  expect(html).toContain("1 of 12 shared rows was edited: q3.");
  const left = await report({ edited_rows: "leave_out" });
  expect(left.html).toContain("1 of 12 shared rows was edited and is left out: q3");
});
