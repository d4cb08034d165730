import { execFile } from "node:child_process";
import { createWriteStream, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { createDeflateRaw } from "node:zlib";
import { describe, expect, it } from "vitest";
import { crc32 } from "node:zlib";
import { evalLog, header, sample } from "../../import/inspect-logs.ts";
import { zipFile } from "../../import/zip-file.ts";
import { scratchPath } from "../../support/scratch.ts";

const BYTES = 1024 ** 3;
const EVENT_BYTES = 64 * 1024;

interface Measured {
  readonly trials: number;
  readonly seconds: number;
  readonly peakMiB: number;
}

async function importInChild(log: string): Promise<Measured> {
  const child = path.join(import.meta.dirname, "../../children/import-log.ts");
  const { stdout } = await promisify(execFile)(process.execPath, ["--import", "tsx", child, log]);
  return JSON.parse(stdout) as Measured;
}

/** A log whose only sample has events of a gigabyte; its size is that of the sample. */
async function writeLargeLog(file: string): Promise<number> {
  const packed = `${file}.packed`;
  const sums = { size: 0, crc: 0 };
  const { events: _, ...rest } = sample(1, 1, { grade: "C" });
  function* pieces() {
    const text = JSON.stringify(rest);
    yield count(`${text.slice(0, -1)},"events":[`);
    for (let n = 0; sums.size < BYTES; n++) {
      // Numbers that differ keep it from being packed a thousandfold.
      const words = Array.from({ length: EVENT_BYTES / 8 }, (__, i) =>
        ((n * 7919 + i * 104729) % 1e7).toString(36),
      );
      yield count(`${n === 0 ? "" : ","}${JSON.stringify({ event: "model", text: words.join(" ") })}`);
    }
    yield count("]}");
  }
  const count = (text: string) => {
    const bytes = Buffer.from(text);
    sums.size += bytes.length;
    sums.crc = crc32(bytes, sums.crc);
    return bytes;
  };
  await pipeline(Readable.from(pieces()), createDeflateRaw({ level: 1 }), createWriteStream(packed));
  const entry = { name: "samples/1_epoch_1.json", data: "", packed: readFileSync(packed) };
  const head = { name: "header.json", data: JSON.stringify(header()) };
  writeFileSync(file, zipFile([{ ...entry, size: sums.size, crc: sums.crc }, head]));
  rmSync(packed);
  return sums.size;
}

describe("a member of a zip file of 1 GiB", () => {
  it("is imported with at most 512 MiB more than a small log takes", async () => {
    const small = scratchPath();
    writeFileSync(small, evalLog(header(), [sample(1, 1, { grade: "C" })]));
    const large = scratchPath();
    expect(await writeLargeLog(large)).toBeGreaterThan(BYTES);
    const before = await importInChild(small);
    const measured = await importInChild(large);
    rmSync(large);
    expect(measured.trials).toBe(1);
    expect(measured.peakMiB - before.peakMiB).toBeLessThan(512);
  });
});
