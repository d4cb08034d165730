import { writeFile } from "node:fs/promises";
import path from "node:path";
import { bundle } from "./bundle.ts";
import { rollUpDeclarations } from "./declarations.ts";
import { billOf } from "./bill-of-materials.ts";
import { licencesOf } from "./licences.ts";

const ROOT = path.join(import.meta.dirname, "..");

/**
 * Writes what is published of the code to `folder`: bundles, declarations, the licences of what is in them, and its
 * names.
 */
export async function buildPackage(folder: string): Promise<void> {
  const [inputs, { types }] = await Promise.all([bundle(folder), rollUpDeclarations()]);
  const files = Object.fromEntries(
    Array.from(types).flatMap(([entry, declared]) => [
      // Node loads an ES module that CommonJS requires; what reads types alone needs a file that is CommonJS by its
      // name.
      [`${entry}.d.cts`, declared],
      [`${entry}.d.ts`, `export * from "./${entry}.cjs";\n`],
      // Of a module with a default export alone CommonJS sees nothing else.
      [
        `${entry}.cjs`,
        entry === "vitest"
          ? 'exports.default = require("./vitest.js").default;\n'
          : `module.exports = require("./${entry}.js");\n`,
      ],
    ]),
  );
  files["THIRD-PARTY-LICENCES.txt"] = licencesOf(ROOT, inputs);
  files["sbom.cdx.json"] = await billOf(ROOT, inputs);
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(path.join(folder, name), text)));
}
