import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { builtProgram } from "../support/built-program.ts";
import { notLinux } from "../support/platform.ts";
import { because } from "../support/skipped.ts";

it.skipIf(notLinux !== null)(
  `memory of results goes back to the system while nothing is asked${because(notLinux)}`,
  async () => {
    const run = promisify(execFile)(process.execPath, [builtProgram("children/drop-results")]);
    expect(await run).toMatchObject({ stderr: "" });
  },
);
