import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { rollUpDeclarations } from "./declarations.ts";

/*
 * Compares what the package exports with `api/`, one file an entry, so that a change of the public API is a change of a
 * file that is reviewed. `--update` writes the files.
 */

const FOLDER = path.join(import.meta.dirname, "api");
const { values } = parseArgs({ options: { update: { type: "boolean", default: false } } });

const { api } = await rollUpDeclarations();
await mkdir(FOLDER, { recursive: true });
for (const [entry, text] of api) {
  const file = path.join(FOLDER, `${entry}.api.md`);
  if (values.update) await writeFile(file, text);
  else if ((await readFile(file, "utf8").catch(() => "")) !== text) {
    process.exitCode = 1;
    process.stderr.write(
      `The public API of the entry ${entry} is not what build/api/${entry}.api.md says; npm run api updates it.\n`,
    );
  }
}
