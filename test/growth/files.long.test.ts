import { afterAll, describe, expect, it } from "vitest";
import { FORMAT_NAMES } from "../../src/import/format.ts";
import { call, exampleCalls, ndjson, put, temporaryFolder, TRIAL } from "../cli/command.ts";
import { evalcubeHere } from "../cli/in-process.ts";
import { header, jsonLog, sample } from "../import/inspect-logs.ts";
import { sampleLine } from "../import/lm-eval-logs.ts";
import { promptfooLog, result } from "../import/promptfoo-logs.ts";
import { processorTime } from "../support/processor-time.ts";
import { textsOf } from "./growth.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);

const CHARACTERS = 1_000_000;
/** Milliseconds of processor time, with the start of the command. */
const LONGEST = 5000;

/** The longest time of the command on a file of each kind of text, which it may refuse, and that kind. */
async function slowest(
  args: readonly string[],
  name: string,
  contentOf: (text: string) => string,
): Promise<{ readonly kind: string; readonly time: number }> {
  let longest = { kind: "", time: 0 };
  for (const [kind, text] of textsOf(CHARACTERS)) {
    const file = put(folder, name, contentOf(text));
    const timed = processorTime();
    const { status, stderr } = await evalcubeHere([...args, file]);
    const time = timed();
    expect(status, `${kind}: ${stderr.slice(0, 300)}`).toBeOneOf([0, 1]);
    if (time > longest.time) longest = { kind, time };
  }
  return longest;
}

const isQuick = ({ time }: { readonly time: number }) => time < LONGEST;

/** Logs with a text as a value, by their names. */
const LOGS: Readonly<Record<string, (text: string) => string>> = {
  "inspect.json": (text) => jsonLog(header(), [sample(1, 1, { grade: "C" }, { input: text })]),
  "promptfoo.json": (text) => JSON.stringify(promptfooLog([[result(0, 0, 1, { vars: { question: text } })]])),
  "samples_sums_2026-03-04T05-06-07.000089.jsonl": (text) =>
    ndjson([sampleLine(1, "none", 1, { target: text })]),
  "calls.jsonl": (text) =>
    ndjson([...exampleCalls(), call("t", TRIAL, { parent_id: "good", inputs: { example: text } })]),
  "table.csv": (text) => `id,output,score\n1,"${text.replaceAll('"', '""')}",1\n`,
  "table.jsonl": (text) => ndjson([{ id: "1", output: text, score: 1 }]),
};

describe("import", () => {
  const args = ["import", "--dry-run", "--project", "acme/qa", "--format"];

  it.each(["auto", ...FORMAT_NAMES])("as %s is quick with 1 MB of any text", async (format) => {
    expect(await slowest([...args, format], "log.txt", (text) => text)).toSatisfy(isQuick);
  });

  it.each(Object.entries(LOGS))("is quick with %s that has a text of 1 MB", async (name, contentOf) => {
    expect(await slowest([...args, "auto"], name, contentOf)).toSatisfy(isQuick);
  });
});

it.each(["--row-column", "--output-column", "--records"])(
  "import is quick with 100 KB of any text for %s",
  async (flag) => {
    const table = put(folder, "paths.json", '{"list":[{"id":1,"output":{"a.b":"x"},"score":1}]}');
    for (const [kind, text] of textsOf(100_000)) {
      const timed = processorTime();
      await evalcubeHere(["import", "--dry-run", "--project", "acme/qa", `${flag}=${text}`, table]);
      expect(timed(), kind).toBeLessThan(LONGEST);
    }
  },
);

describe("ingest", () => {
  const args = ["ingest", "--db", ":memory:"];

  it.each(["calls.ndjson", "calls.parquet", "calls.arrow", "calls.txt"])(
    "is quick with 1 MB of any text in %s",
    async (name) => {
      expect(await slowest(args, name, (text) => text)).toSatisfy(isQuick);
    },
  );

  it("is quick with a call that has a text of 1 MB", async () => {
    expect(await slowest(args, "texts.ndjson", LOGS["calls.jsonl"] ?? String)).toSatisfy(isQuick);
  });
});
