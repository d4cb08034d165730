import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import * as esbuild from "esbuild";
import { bundleThread } from "./bundle-thread.ts";
import { bundleView, writeView } from "./bundle-view.ts";

const ROOT = path.join(import.meta.dirname, "..");

/** One file for each entry of the package, by its path below the output folder. */
const LIBRARY = {
  index: "src/index.ts",
  "arrow-exports": "src/arrow-exports.ts",
  schemas: "src/schemas.ts",
  "stats/index": "src/stats/index.ts",
  "view-exports": "src/view-exports.ts",
};

/** The command loads what it needs when it needs it, so it is in more pieces than a library should be. */
const COMMAND = { "cli/main": "src/cli/main.ts" };

/** The packages of which a part is in the bundle; all others are imported from where they are installed. */
const INSIDE = new Set(["d3-array", "mathjs"]);

/** Writes the JavaScript of the package to `folder`; gives the files that a part of is in it, relative to the root. */
export async function bundle(folder: string): Promise<string[]> {
  const [{ pages, inputs }, thread] = await Promise.all([viewOnce(), threadOnce()]);
  await writeView(path.join(folder, "view"), pages);
  const library = await bundleEntries(LIBRARY, folder, "shared/[name]-[hash]");
  return [
    ...inputs,
    ...thread.inputs,
    ...library,
    ...(await bundleEntries(COMMAND, folder, "cli/pieces/[name]-[hash]")),
  ];
}

/** The same for any entries, by their path below the output folder; they share what is in the chunks. */
export async function bundleEntries(
  entryPoints: Readonly<Record<string, string>>,
  folder: string,
  chunkNames: string,
): Promise<string[]> {
  const { metafile } = await esbuild.build({
    absWorkingDir: ROOT,
    entryPoints: { ...entryPoints },
    outdir: folder,
    chunkNames,
    bundle: true,
    // The entries share the classes of errors, so that `instanceof` holds between them.
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    jsx: "automatic",
    jsxImportSource: "preact",
    sourcemap: true,
    metafile: true,
    logLevel: "warning",
    plugins: [packageFiles, viewFiles, loadThread, externalDependencies],
  });
  const outputs = Object.values(metafile.outputs);
  return outputs.flatMap(({ inputs }) =>
    Object.keys(inputs).filter((file) => inputs[file]?.bytesInOutput !== 0),
  );
}

/** Puts the texts of files into the bundle, in place of the module that reads them. */
const packageFiles: esbuild.Plugin = {
  name: "package-files",
  setup(build) {
    build.onLoad({ filter: /[/\\]src[/\\]package-files\.ts$/ }, () => ({
      contents: `const FILES = new Map(${JSON.stringify(textFiles())});
        export function packageFile(path) {
          if (!FILES.has(path)) throw new Error("the package has no file " + path);
          return FILES.get(path);
        }
        export const packageFolder = (folder) =>
          [...FILES.keys()].filter((path) => path.slice(0, path.lastIndexOf("/")) === folder);`,
    }));
  },
};

let view: ReturnType<typeof bundleView> | null = null;

function viewOnce(): ReturnType<typeof bundleView> {
  view ??= bundleView();
  return view;
}

/** Puts what browsers get into the bundle, in place of the module that bundles it. */
const viewFiles: esbuild.Plugin = {
  name: "view-files",
  setup(build) {
    build.onLoad({ filter: /[/\\]src[/\\]view-files\.ts$/ }, async () => ({
      contents: `const PAGES = ${JSON.stringify((await viewOnce()).pages)};
        export const viewFiles = () => Promise.resolve(PAGES);`,
    }));
  },
};

let thread: ReturnType<typeof bundleThread> | null = null;

function threadOnce(): ReturnType<typeof bundleThread> {
  thread ??= bundleThread();
  return thread;
}

/** Puts the program of the thread into the bundle: it is found wherever a bundle of the package is. */
const loadThread: esbuild.Plugin = {
  name: "load-thread",
  setup(build) {
    build.onLoad({ filter: /[/\\]src[/\\]load-thread-code\.ts$/ }, async () => ({
      contents: `const CODE = ${JSON.stringify((await threadOnce()).text)};
        export const loadThreadCode = () => Promise.resolve(CODE);`,
    }));
  },
};

/** Of package.json only the version, so that its other members can change without a new bundle. */
function textFiles(): [string, string][] {
  const { version } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")) as {
    version: string;
  };
  const found = readdirSync(path.join(ROOT, "sql"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, "/"));
  return [
    ["package.json", JSON.stringify({ version })],
    ...found.toSorted().map((name): [string, string] => [name, readFileSync(path.join(ROOT, name), "utf8")]),
  ];
}

const externalDependencies: esbuild.Plugin = {
  name: "external-dependencies",
  setup(build) {
    build.onResolve({ filter: /^[^./]/ }, ({ path: name, importer, kind }) => {
      if (kind === "entry-point" || INSIDE.has(name.split("/")[0] ?? "")) return null;
      return importer.includes(`${path.sep}node_modules${path.sep}`) ? null : { external: true };
    });
  },
};
