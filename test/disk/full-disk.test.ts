import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { notPosix } from "../support/platform.ts";
import { scratchPath } from "../support/scratch.ts";
import { because } from "../support/skipped.ts";
import { names, trialsOf } from "./damage.ts";
import { builtProgram } from "../support/built-program.ts";

/** In units of 512 or 1,024 bytes: a file of 4 or 8 MB is as large as one may become. */
const LIMIT = `trap '' XFSZ; ulimit -f 8000; exec "$@"`;

it.skipIf(notPosix !== null)(
  `a write that finds no space says so, stores nothing, and what was stored can be read${because(notPosix)}`,
  async () => {
    const file = scratchPath();
    const child = [process.execPath, builtProgram("children/fill-disk"), file];
    const { stdout } = spawnSync("bash", ["-c", LIMIT, "bash", ...child], { encoding: "utf8" });
    const [refused, after] = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(refused).toMatchObject({ code: "storage_full" });
    expect(refused?.["message"]).toMatch(/evals\.duckdb: the disk is full.*free some space/);
    expect(after).toEqual({ total_rows: refused?.["stored"] });
    expect(await trialsOf(file)).toEqual(names(Number(refused?.["stored"])));
  },
);
