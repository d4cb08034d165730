import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { PackFault, unpacked } from "../../src/bytes/unpack.ts";
import { put, temporaryFolder } from "../cli/command.ts";
import { evalcubeHere } from "../cli/in-process.ts";
import { processorTime } from "../support/processor-time.ts";
import { until } from "../support/until.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);

/** Blocks of four bytes that stand for 128 KiB of line ends each, in Zstandard. */
const BLOCK = [2, 0, 0x10, 10];
const LAST_BLOCK = [3, 0, 0x10, 10];

function zstdOfLineEnds(blocks: number): Buffer {
  const begin = [0x28, 0xb5, 0x2f, 0xfd, 0, 0x38];
  return Buffer.from([...begin, ...Array.from({ length: blocks - 1 }, () => BLOCK).flat(), ...LAST_BLOCK]);
}

const LINE_ENDS = Buffer.alloc(309_000_000, 10);
const FOUR_LAYERS = [1, 2, 3, 4].reduce((packed) => gzipSync(packed), Buffer.from("a"));
const FILES = {
  "gzip.ndjson.gz": gzipSync(LINE_ENDS),
  "stored.ndjson.gz": gzipSync(gzipSync(LINE_ENDS), { level: 0 }),
  "zstd.ndjson.zst": zstdOfLineEnds(75_000),
};

it.each([...Object.entries(FILES), ["four layers", FOUR_LAYERS] as const])(
  "%s are closed when they are refused",
  async (_, packed) => {
    let isOpen = true;
    async function* bytes() {
      try {
        for (let at = 0; at < packed.length; at += 65_536) yield packed.subarray(at, at + 65_536);
        // A file ends when it is asked once more.
        yield Buffer.alloc(0);
      } finally {
        isOpen = false;
      }
    }
    const read = async () => {
      for await (const piece of unpacked(bytes())) expect(piece.length).toBeGreaterThan(0);
    };
    await expect(read()).rejects.toThrow(PackFault);
    await until("the bytes are closed", () => !isOpen);
  },
);

describe.each([
  ["ingest", []],
  ["import", ["--project", "acme/qa"]],
] as const)("%s", (command, more) => {
  const database = join(folder, `${command}.duckdb`);

  it.each(Object.entries(FILES))(
    "refuses %s, which unpacks to 300 MB and more, early",
    async (name, bytes) => {
      const file = put(folder, name, bytes);
      const time = processorTime();
      const { status, stderr } = await evalcubeHere([command, "--db", database, ...more, file]);
      expect(status).toBe(1);
      const [, packed = "", most = ""] =
        /would unpack from ([\d,]+) to more than ([\d,]+) bytes, which is too much/.exec(stderr) ?? [];
      // What came out until then is a small part of it.
      expect(Number(packed.replaceAll(",", ""))).toBeLessThan(30_000);
      expect(Number(most.replaceAll(",", ""))).toBeLessThan(30_000_000);
      expect(time()).toBeLessThan(5000);
    },
  );

  it("reads 30 MB of line ends within 2.5 s", async () => {
    const file = put(folder, "lines.ndjson", LINE_ENDS.subarray(0, 30_000_000));
    const time = processorTime();
    const { status } = await evalcubeHere([command, "--db", database, ...more, file]);
    expect(status).toBe(command === "ingest" ? 0 : 1);
    expect(time()).toBeLessThan(2500);
  });
});
