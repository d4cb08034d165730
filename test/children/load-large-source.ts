import { openEngine } from "../../src/index.ts";
import { call, ndjson } from "../support/records.ts";

/** Loads as many calls of about 4 KiB as its second argument says into the file of its first. */
const [file = "", count = "0"] = process.argv.slice(2);
const text = "0123456789abcdef".repeat(256);

async function* bytes() {
  for (let i = 0; i < Number(count); i += 100) {
    yield Buffer.from(
      ndjson(Array.from({ length: 100 }, (_, n) => call(`c${i + n}`, { inputs: { text, n: i + n } }))),
    );
  }
}

const engine = await openEngine({ path: file, threads: 1, memoryLimit: "256MiB" });
const { stored } = await engine.ingestCalls({ ndjson: bytes(), name: "large" });
await engine.close();
process.stdout.write(JSON.stringify({ stored, peakMiB: process.resourceUsage().maxRSS / 1024 }));
