import { execFile } from "node:child_process";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const SOURCE = path.join(import.meta.dirname, "../../src/clickhouse/server/client.ts");

/** A server that knows no statement, and holds no connection open. */
const CLOSE = `import { createEndStatements } from ${JSON.stringify(pathToFileURL(SOURCE).href)};
  const statements = createEndStatements({ query: async () => ({ json: async () => [] }) });
  statements.end("gone");
  await statements.ended();
  console.log("closed");`;

it("a process that has nothing else to do closes a client whose statement the server does not find", async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--import", "tsx", "--input-type=module", "-e", CLOSE],
    { cwd: import.meta.dirname },
  );
  expect(stdout.trim()).toBe("closed");
});
