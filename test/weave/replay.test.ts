import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { evaluationsOf, openReplay, readExchanges, replay, SEED } from "./recorded.ts";

it(`what a program sent is answered as it was, twice and in another order (SEED=${SEED})`, async () => {
  const exchanges = readExchanges(readFileSync(new URL("traffic.ndjson", import.meta.url), "utf8"));
  await replay(exchanges);
  const { engine, send } = await openReplay();
  for (const exchange of exchanges) await send(exchange);
  const dimension = { scorer_key: "exact", pass_true_count: 1, pass_known_count: 2 };
  expect(await evaluationsOf(engine)).toMatchObject({
    "acme/own": {
      total_rows: 2,
      warnings: [],
      rows: [{ raw_data_row: { n: expect.any(Number) as unknown } }, {}],
      summary: { evaluations: [{ display_name: "renamed", trial_count: 2, scorer_stats: [dimension] }] },
    },
  });
  await engine.close();
});
