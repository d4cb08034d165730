import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { importedTwice, newFolders, sharedEngine } from "../../import/shared.ts";
import { because } from "../../support/skipped.ts";

/** Logs that the tools themselves wrote; `made-logs/make-logs.sh` says how. */
const LOGS = process.env["MADE_LOGS"] ?? "";
const MAKE = "MADE_LOGS is no folder that test/slow/import/made-logs/make-logs.sh made";

/** What a tool makes of three rows: an evaluation a line, with its trials and errors, and its scores by their names. */
const MADE = {
  promptfoo: {
    evaluations: ["echo 6 0", "echo 6 0", "flaky 6 2", "flaky 6 2"],
    scorers: ["pass", "right", "score"],
    rows: 3,
  },
  inspect: { evaluations: ["mockllm/model 6 0"], scorers: ["includes", "match"], rows: 3 },
  "lm-eval": { evaluations: ["dummy 3 0"], scorers: ["exact_match"], rows: 3 },
  deepeval: { evaluations: ["stub 3 0"], scorers: ["Exact", "Moody", "pass"], rows: 3 },
};
/** Its files do not say which version wrote them. */
const SAYS_NO_VERSION = "deepeval";

const newFolder = newFolders();
const versionsOf = (tool: string) =>
  LOGS === "" || !existsSync(LOGS) ? [] : readdirSync(LOGS).filter((name) => name.startsWith(`${tool}-`));

describe.each(Object.entries(MADE))("logs that %s wrote, in two versions", async (tool, made) => {
  const versions = versionsOf(tool);
  const missing = versions.length >= 2 ? null : MAKE;
  const engine = await sharedEngine();

  it.skipIf(missing !== null)(
    `agree with their own figures, wherever they lie${because(missing)}`,
    async () => {
      let agree = 0;
      for (const version of versions) {
        const results = await importedTwice(engine, path.join(LOGS, version, "log"), newFolder());
        const [result] = results;
        const evaluations = result?.evaluations ?? [];
        expect({
          version: tool === SAYS_NO_VERSION ? version : `${tool}-${result?.tool_version}`,
          sources: results.length,
          evaluations: evaluations
            .map(({ model, trials, errors }) => `${model} ${trials} ${errors}`)
            .toSorted(),
          scorers: [...new Set(evaluations.flatMap(({ scorers }) => scorers))].toSorted(),
          rows: Math.max(...evaluations.map(({ rows }) => rows)),
          differ: result?.checks.differ,
        }).toEqual({ version, sources: 1, ...made, differ: [] });
        agree += result?.checks.agree ?? 0;
      }
      // The earlier version of DeepEval states no figures.
      expect(agree).toBeGreaterThan(0);
    },
  );
});
