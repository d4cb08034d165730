import { expect, it } from "vitest";
import { row, tableOf } from "../../build/release/rows.ts";

it("the table of a rehearsal has a row for each thing tried, and says what failed with what it printed", async () => {
  const rows = [
    await row("npm", { install: () => Promise.resolve(), demo: () => Promise.resolve() }),
    await row("Node 20", {
      smoke: () => Promise.reject(Object.assign(new Error("ended with 1"), { stderr: "no engine\n" })),
      module: () => Promise.resolve(),
    }),
  ];
  const text = tableOf(rows).replaceAll(/\d+\.\d s/g, "0.0 s");
  expect(text).toContain("| npm     | install ok, demo ok | 0.0 s |\n");
  expect(text).toContain("| Node 20 | smoke FAILED, module ok | 0.0 s |\n");
  expect(text).toContain("\nNode 20, smoke:\nError: ended with 1\nno engine\n");
  expect(rows.map(({ cells }) => cells.map(({ fault }) => fault === null))).toEqual([
    [true, true],
    [false, true],
  ]);
});
