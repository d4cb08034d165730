import { readdirSync } from "node:fs";
import { deflateRawSync, gzipSync } from "node:zlib";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { damaged } from "./damage.ts";
import { importBytes, recordCount } from "./imports.ts";
import { evalLog, header, jsonLog, logEntries, sample } from "./inspect-logs.ts";
import { promptfooLog, result } from "./promptfoo-logs.ts";
import { zipFile, type MadeEntry } from "./zip-file.ts";
import { newFolders, sharedEngine } from "./shared.ts";

const newFolder = newFolders();
const engine = await sharedEngine();

const samples = [sample(1, 1, { grade: "C" }), sample(2, 1, { grade: "I" })];
const entries = logEntries(header(), samples);
const text = Buffer.from(JSON.stringify(samples[0]));
const zeros = Buffer.alloc(8 * 1024 * 1024);

/** A log whose first sample is another entry. */
function withEntry(changed: Partial<MadeEntry>): Buffer {
  return zipFile(
    entries.map((entry) => (entry.name === "samples/1_epoch_1.json" ? { ...entry, ...changed } : entry)),
  );
}

function gzipped(bytes: Buffer, times: number): Buffer {
  return times === 0 ? bytes : gzipSync(gzipped(bytes, times - 1));
}

describe("a file in gzip", () => {
  it("is unpacked three times over", async () => {
    const { evaluations } = await importBytes(engine, gzipped(zipFile(entries), 3));
    expect(evaluations).toHaveLength(1);
  });

  it.each([
    [
      "four times over, as one is that unpacks to itself",
      gzipped(zipFile(entries), 4),
      /packed more than 3 times over/,
    ],
    [
      "of far more bytes",
      gzipSync(zeros),
      /would unpack from [\d,]+ to more than [\d,]+ bytes, which is too much/,
    ],
    ["of far more bytes, twice over", gzipped(Buffer.alloc(64 * 1024 * 1024), 2), /which is too much/],
    ["that is cut, twice over", gzipSync(gzipSync(zipFile(entries)).subarray(0, -9)), /cannot be unpacked/],
  ])("%s, is refused, and nothing of it is left", async (_, bytes, reason) => {
    const folder = newFolder();
    vi.stubEnv("TMPDIR", folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    const before = await recordCount(engine);
    await expect(importBytes(engine, bytes)).rejects.toThrow(reason);
    expect(await recordCount(engine)).toBe(before);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("a zip file", () => {
  it.each([
    ["a checksum that does not fit", withEntry({ crc: 1 }), /samples\/1_epoch_1\.json: is damaged/],
    [
      "more bytes than announced",
      withEntry({ size: text.length - 1 }),
      /1_epoch_1\.json: unpacks to more than/,
    ],
    [
      "fewer bytes than announced",
      withEntry({ size: text.length + 1 }),
      /1_epoch_1\.json: ends in the middle \(/,
    ],
    ["bytes that cannot be unpacked", withEntry({ packed: Buffer.from("nonsense!") }), /cannot be unpacked/],
    ["Zstandard that is none", withEntry({ method: 93, packed: text }), /cannot be unpacked/],
    ["an encrypted entry", withEntry({ flags: 0x801 }), /is encrypted/],
    ["an unknown method", withEntry({ method: 12, packed: text }), /packed by method 12/],
    [
      "an entry that is far larger unpacked",
      withEntry({ data: zeros, packed: deflateRawSync(zeros) }),
      /too much/,
    ],
    ["an entry twice", zipFile([...entries, ...entries]), /is in the file twice/],
    [
      "a name that leads elsewhere",
      zipFile([...entries, { name: "../../etc/x", data: "" }]),
      /relative path/,
    ],
    ["no entry", Buffer.from("PK\u0005\u0006".padEnd(22, "\0"), "latin1"), /empty zip file/],
    ["entries of something else", zipFile([{ name: "a.txt", data: "x" }]), /without a file .*: a\.txt$/],
  ])("with %s is refused, and nothing of it is stored", async (_, bytes, reason) => {
    const before = await recordCount(engine);
    await expect(importBytes(engine, bytes)).rejects.toThrow(reason);
    expect(await recordCount(engine)).toBe(before);
  });

  it("with a damaged sample is read without it where what is invalid is skipped", async () => {
    const rest = await importBytes(engine, withEntry({ crc: 1 }), { onInvalid: "skip" });
    expect(rest).toMatchObject({
      evaluations: [{ trials: 1 }],
      rejected: [{ place: "samples/1_epoch_1.json" }],
    });
  });

  it("of stored entries is read, and so is a log in gzip", async () => {
    const stored = zipFile(entries.map((entry) => ({ ...entry, method: 0 })));
    expect((await importBytes(engine, stored)).evaluations).toMatchObject([{ trials: 2 }]);
    const packed = gzipSync(jsonLog(header(), samples));
    expect((await importBytes(engine, packed)).evaluations).toMatchObject([{ trials: 2 }]);
  });
});

type Members = Readonly<Record<string, unknown>>;
const inspect = (others: Members) => jsonLog(header(), [samples[0], sample(2, 1, {}, others)]);
const promptfoo = (others: Members) =>
  JSON.stringify(promptfooLog([[result(0, 0, 1), result(0, 1, 1, others)]]));

describe("a number that no clock or meter shows", () => {
  it.each([
    ["a time of Inspect", inspect({ working_time: 1e300 }), "samples[1]", "a latency of 1e+300 seconds"],
    ["a negative time of Inspect", inspect({ working_time: -1 }), "samples[1]", "a latency of -1 seconds"],
    ["an epoch of Inspect", inspect({ epoch: 0.5 }), "samples[1].epoch", "is 0.5; a whole number"],
    ["an epoch that is a text", inspect({ epoch: "two" }), "samples[1].epoch", 'is "two"; a whole number'],
    [
      "tokens of Inspect",
      inspect({ model_usage: { m: { total_tokens: -1 } } }),
      "samples[1]",
      "a count of -1 tokens",
    ],
    [
      "a time of promptfoo",
      promptfoo({ latencyMs: -5 }),
      "results.results[0]",
      "a latency of -0.005 seconds",
    ],
    [
      "a test of promptfoo",
      promptfoo({ testIdx: 1.5 }),
      "results.results[0].testIdx",
      "is 1.5; a whole number",
    ],
    ["a cost of promptfoo", promptfoo({ cost: -1 }), "results.results[0]", "a cost of -1 US dollars"],
  ])("%s is refused by its place, or left out", async (_, log, place, reason) => {
    const refused = importBytes(engine, log);
    await expect(refused).rejects.toMatchObject({ name: "ImportError", code: "invalid", place });
    await expect(refused).rejects.toThrow(reason);
    const rest = await importBytes(engine, log, { onInvalid: "skip", dryRun: true });
    expect(rest).toMatchObject({ evaluations: [{ trials: 1 }], rejected: [{ place }] });
  });
});

describe("a document", () => {
  const deep = `${'{"a":'.repeat(2000)}1${"}".repeat(2000)}`;

  it.each([
    [
      "nested too deep",
      jsonLog(header(), ["@"]).replace('"@"', deep),
      /samples\[0\]\.a: is not JSON: .*levels deep/,
    ],
    [
      "of a newer form",
      jsonLog(header({}, { eval: { task: "t", model: "m" } }), samples),
      /lacks eval\.created/,
    ],
    ["with a sample that is none", jsonLog(header(), [7]), /samples\[0\]: is not an object/],
    [
      "with a sample without an id",
      jsonLog(header(), [{ epoch: 1, input: "x" }]),
      /samples\[0\]: lacks an id/,
    ],
    [
      "that is not UTF-8",
      Buffer.from(jsonLog(header(), samples).replace("low", "l\u00ff"), "latin1"),
      /not UTF-8/,
    ],
    ["SQLite", "SQLite format 3\0 and more", /export its table as CSV/],
    ["SQLite of promptfoo", "SQLite format 3\0 evals_to_prompts", /promptfoo export eval/],
    ["a pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n", /git lfs pull/],
    ["a page", "<!doctype html><title>promptfoo</title>", /-o log\.json/],
    [
      "that is cut before its format shows",
      '{"evalId": "e", "results": {"version": 3,',
      /ends in the middle/,
    ],
    ["prose", "Dear reader,\nthis is no log.\n", /none of the formats/],
    ["nothing", "", /is empty/],
    [
      "calls",
      '{"id": "c", "project_id": "a/b", "op_name": "x", "started_at": "2026-01-01T00:00:00Z"}\n',
      /holds calls, which evalcube ingest loads/,
    ],
  ])("%s is refused in one line", async (_, bytes, reason) => {
    const refused = importBytes(engine, bytes);
    await expect(refused).rejects.toThrow(reason);
    await expect(refused).rejects.toMatchObject({ name: "ImportError", source: "log" });
    await expect(refused).rejects.not.toThrow("\n");
  });

  it("in many pieces, each of one byte, is the same document", async () => {
    async function* bytes() {
      for (const byte of Buffer.from(jsonLog(header(), samples))) yield Buffer.of(byte);
    }
    const [streamed] = await engine.importEvaluations(
      { stream: bytes(), name: "log" },
      { project: "acme/qa" },
    );
    expect(streamed?.evaluations).toMatchObject([{ trials: 2 }]);
    expect((await importBytes(engine, jsonLog(header(), samples))).stored).toBe(0);
  });
});

describe("an import", () => {
  it("stops with the reason of its signal, and stores nothing", async () => {
    const before = await recordCount(engine);
    const controller = new AbortController();
    const reason = new Error("enough");
    const log = jsonLog(
      header(),
      Array.from({ length: 3000 }, (_, i) => sample(i, 1, { grade: "C" })),
    );
    const stopped = importBytes(engine, log, {
      signal: controller.signal,
      onProgress: () => controller.abort(reason),
    });
    await expect(stopped).rejects.toBe(reason);
    expect(await recordCount(engine)).toBe(before);
  });

  it.each([
    [
      "no project",
      { bytes: Buffer.from(jsonLog(header(), [sample(1, 1, { grade: "C" })])), name: "log.json" },
      {},
      /does not say its project: name it/,
    ],
    ["an unknown option", "log.json", { project: "a/b", modle: "x" }, /there is no option "modle"/],
    [
      "an unknown format",
      "log.json",
      { project: "a/b", format: "odd" },
      /format must be "auto" or "inspect"/,
    ],
    [
      "a role that there is not",
      "log.json",
      { project: "a/b", table: { rows: "x" } },
      /table has no member "rows"/,
    ],
    ["nothing", null, { project: "a/b" }, /a source is a path/],
    ["an empty list", [], { project: "a/b" }, /a source is a path/],
    ["a name alone", { name: "x" }, { project: "a/b" }, /\{ bytes, name \} or/],
    ["bytes that are text", { name: "x", bytes: "{}" }, { project: "a/b" }, /bytes are a Uint8Array/],
    ["a file that is not there", "/nowhere/log.json", { project: "a/b" }, /cannot be read/],
  ])("of %s is refused", async (_, source, options, reason) => {
    await expect(engine.importEvaluations(source as string, options as { project: string })).rejects.toThrow(
      reason,
    );
  });
});

/** Whether an error says what is wrong and where: of an `ImportError`, one line that begins with the source. */
function isPlain(error: unknown): boolean {
  return error instanceof Error && error.name === "ImportError" && /^log[,:] [^\n]+$/.test(error.message);
}

describe("a damaged file", () => {
  const whole = [
    ["an .eval log", evalLog(header(), samples)],
    ["a .json log", Buffer.from(jsonLog(header(), samples))],
    ["a promptfoo log", Buffer.from(JSON.stringify(promptfooLog([[result(0, 0, 1), result(0, 1, 0)]])))],
  ] as const;

  it.each(whole)("%s that is cut stores nothing and says so", async (_, bytes) => {
    const before = await recordCount(engine);
    for (const cut of damaged(bytes, 12, "cut")) {
      const error: unknown = await importBytes(engine, cut).catch((fault: unknown) => fault);
      expect([cut.length, isPlain(error)]).toEqual([cut.length, true]);
    }
    expect(await recordCount(engine)).toBe(before);
  });

  it.each(whole)("%s with a changed byte is read, or stores nothing and says so", async (_, bytes) => {
    const fresh = await openEngine();
    try {
      for (const changed of damaged(bytes, 12, "flip")) {
        const ended: unknown = await importBytes(fresh, changed, { dryRun: true }).catch(
          (fault: unknown) => fault,
        );
        expect(ended instanceof Error ? isPlain(ended) : true).toBe(true);
      }
      expect(await recordCount(fresh)).toBe(await recordCount(await emptyEngine()));
    } finally {
      await fresh.close();
    }
  });
});

const opened: Engine[] = [];

async function emptyEngine(): Promise<Engine> {
  const empty = await openEngine();
  opened.push(empty);
  return empty;
}

afterAll(() => Promise.all(opened.map((one) => one.close())));
