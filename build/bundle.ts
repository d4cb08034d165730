import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { brotliCompressSync } from "node:zlib";
import { build, type CodeSplittingOptions, type OutputChunk, type Plugin } from "rolldown";
import { minify, type MinifyOptions } from "rolldown/utils";
import { bundleThread } from "./bundle-thread.ts";
import { bundleView } from "./bundle-view.ts";

const ROOT = path.join(import.meta.dirname, "..");

/** One file for each entry of the package, by its path below the output folder. */
export const ENTRIES = {
  index: "src/index.ts",
  arrow: "src/arrow-exports.ts",
  schemas: "src/schemas.ts",
  stats: "src/stats/index.ts",
  view: "src/view-exports.ts",
  vitest: "src/runners/vitest.ts",
  evalite: "src/runners/evalite.ts",
};

/** Chunks below this many bytes join others. */
const SMALL_CHUNK = 200_000;

/** What help and usage errors load, which opens no database. */
const HELP = "src/cli/program.ts";

/** The packages of which a part is in the bundle; all others are imported from where they are installed. */
const INSIDE = new Set(["@modelcontextprotocol", "mathjs"]);

/** Packages that a bundled one needs as they are installed. */
const OUTSIDE = new Set(["zod"]);

/** Writes the JavaScript of the package to `folder`; gives the files that a part of is in it, relative to the root. */
export async function bundle(folder: string): Promise<string[]> {
  const [page, thread] = await Promise.all([viewOnce(), threadOnce()]);
  const code = await bundleEntries({ ...ENTRIES, "cli/main": "src/cli/main.ts" }, folder, ["index"]);
  return [...page.inputs, ...thread.inputs, ...code];
}

/**
 * The same for any entries, by their path below the output folder. They share the chunks, so `instanceof` holds. What
 * entries of `named` load keeps its names.
 */
export async function bundleEntries(
  entries: Readonly<Record<string, string>>,
  folder: string,
  named: readonly string[] = Object.keys(entries),
): Promise<string[]> {
  const closures: Closures = new Map();
  const { output } = await build({
    cwd: ROOT,
    input: { ...entries },
    platform: "node",
    // No entry gains an export that a test of the package would not see.
    preserveEntrySignatures: "allow-extension",
    external: isExternal,
    transform: { target: "node20.19" },
    plugins: [
      importClosures([...Object.values(entries).filter((file) => !sharesOthers(file)), HELP], closures),
      textsInside,
      lightValidator,
      shortChunks(named),
    ],
    logLevel: "warn",
    output: {
      dir: folder,
      format: "esm",
      entryFileNames: "[name].js",
      chunkFileNames: ({ name }) =>
        name.startsWith("shared") ? "shared/[hash].js" : "shared/[name]-[hash].js",
      codeSplitting: sharedChunks(closures),
      comments: { legal: true, annotation: true, jsdoc: false },
    },
  });
  const chunks = output.filter((one) => one.type === "chunk");
  const inputs = chunks.flatMap(({ modules }) =>
    Object.entries(modules).flatMap(([id, { renderedLength }]) => (renderedLength > 0 ? [id] : [])),
  );
  return inputs.map((id) => path.relative(ROOT, id).replaceAll(path.sep, "/"));
}

/** By file: the modules that it imports at once, those that they import, and so on. */
type Closures = Map<string, Set<string>>;

/**
 * Small chunks join those of the same name, which is that of modules that the same entries import at once: so what an
 * entry imports at once is never more than without chunks. Some entries share the chunks of the others, which saves
 * files: those for runners open an engine in any case, the command begins with help, and schemas import 25 kB more than
 * they need.
 */
function sharedChunks(closures: Closures): CodeSplittingOptions {
  return {
    minShareCount: 2,
    includeDependenciesRecursively: false,
    groups: [
      {
        name: (id) => `shared-${Array.from(closures.values(), (one) => (one.has(id) ? 1 : 0)).join("")}`,
        debugName: "shared",
        entriesAware: true,
        entriesAwareMergeThreshold: SMALL_CHUNK,
      },
    ],
  };
}

function isExternal(name: string, importer: string | undefined): boolean {
  if (importer === undefined || /^[./]/.test(name) || path.isAbsolute(name)) return false;
  if (OUTSIDE.has(name.split("/")[0] ?? "")) return true;
  return !INSIDE.has(name.split("/")[0] ?? "") && !importer.includes(`${path.sep}node_modules${path.sep}`);
}

function sharesOthers(file: string): boolean {
  return file.startsWith("src/runners/") || file === "src/cli/main.ts" || file === "src/schemas.ts";
}

/** Fills the closures of files, which are known when all modules are read. */
function importClosures(files: readonly string[], closures: Closures): Plugin {
  return {
    name: "import-closures",
    buildEnd() {
      for (const file of files) {
        const found = new Set([path.resolve(ROOT, file)]);
        for (const id of found) for (const next of this.getModuleInfo(id)?.importedIds ?? []) found.add(next);
        closures.set(file, found);
      }
    },
  };
}

let view: ReturnType<typeof bundleView> | null = null;

function viewOnce(): ReturnType<typeof bundleView> {
  view ??= bundleView();
  return view;
}

let thread: ReturnType<typeof bundleThread> | null = null;

function threadOnce(): ReturnType<typeof bundleThread> {
  thread ??= bundleThread();
  return thread;
}

/** Id of a module that is in the bundle alone. */
const THREAD = "/thread";

/** Modules of `src` that read or make texts, and what stands in the bundle instead of them: the texts. */
const INSTEAD: Readonly<Record<string, () => Promise<string> | string>> = {
  "package-files.ts": () => `const FILES = new Map(${JSON.stringify(textFiles())});
    export function packageFile(path) {
      if (!FILES.has(path)) throw new Error("the package has no file " + path);
      return FILES.get(path);
    }
    export const packageFolder = (folder) =>
      [...FILES.keys()].filter((path) => path.slice(0, path.lastIndexOf("/")) === folder);`,
  // The scripts of the two pages have much in common, so compressed they are 72 kB of the package instead of 136.
  "view-files.ts": async () => `import { brotliDecompressSync } from "node:zlib";
    const PAGES = "${brotliCompressSync(JSON.stringify((await viewOnce()).pages)).toString("base64")}";
    let read = null;
    export const viewFiles = () =>
      (read ??= Promise.resolve(JSON.parse(brotliDecompressSync(Buffer.from(PAGES, "base64")).toString())));`,
  // A tenth of the package, which is imported with the first file that is large enough for a thread.
  "load-thread-code.ts": () =>
    `export const loadThreadCode = async () => (await import("${THREAD}")).default;`,
};

const textsInside: Plugin = {
  name: "texts-inside",
  resolveId: (id) => (id === THREAD ? id : null),
  async load(id) {
    if (id === THREAD) return `export default ${JSON.stringify((await threadOnce()).text)};`;
    const { dir, base } = path.parse(id);
    const code = dir === path.join(ROOT, "src") ? await INSTEAD[base]?.() : undefined;
    return code === undefined ? null : { code, moduleType: "js" };
  },
};

/** How chunks are written where functions and classes keep their names, for who reads a stack. */
const NAMED: MinifyOptions = {
  module: true,
  compress: false,
  mangle: { toplevel: false, keepNames: { function: true, class: true } },
  codegen: { removeWhitespace: true, legalComments: "inline" },
};

const UNREAD: MinifyOptions = {
  ...NAMED,
  compress: { target: "es2023" },
  mangle: { toplevel: true },
};

/**
 * Writes chunks without white space and with short names inside functions. What an import of "evalcube" loads keeps
 * the names of functions and classes. What the command, the service, runners and readers of files load, and chunks
 * that are mostly code of packages, get short names throughout.
 */
const shortChunks = (named: readonly string[]): Plugin => ({
  name: "short-chunks",
  // Earlier, rolldown would write the white space again.
  async generateBundle(_, written) {
    const chunks = Object.values(written).filter((one) => one.type === "chunk");
    const loaded = loadedWith(named, chunks);
    for (const chunk of chunks) {
      const isUnread = mostlyOthers(chunk) || !loaded.has(chunk.fileName);
      const { code, errors } = await minify(chunk.fileName, chunk.code, isUnread ? UNREAD : NAMED);
      if (errors.length > 0) throw new Error(`${chunk.fileName}: ${errors[0]?.message}`);
      chunk.code = code;
    }
  },
});

/** The files of chunks that an import of these entries loads. */
function loadedWith(entries: readonly string[], chunks: readonly OutputChunk[]): ReadonlySet<string> {
  const byFile = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const loaded = new Set(entries.map((name) => `${name}.js`));
  for (const file of loaded) for (const imported of byFile.get(file)?.imports ?? []) loaded.add(imported);
  return loaded;
}

function mostlyOthers({ modules }: OutputChunk): boolean {
  const sizes = { own: 0, others: 0 };
  for (const [id, { renderedLength }] of Object.entries(modules))
    sizes[id.includes(`${path.sep}node_modules${path.sep}`) ? "others" : "own"] += renderedLength;
  return sizes.others > 4 * sizes.own;
}

const SHIMS = "/mcp-shims";

/**
 * Of the library for agents the smaller of its two validators of JSON Schema; what it would check is never asked here.
 */
const lightValidator: Plugin = {
  name: "light-validator",
  resolveId: (id) => (id === "@modelcontextprotocol/server/_shims" ? SHIMS : null),
  load: (id) => {
    const file = path.join(ROOT, "node_modules/@modelcontextprotocol/server/dist/validators/cfWorker.mjs");
    return id === SHIMS
      ? `export { default as process } from "node:process";
         export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from ${JSON.stringify(file)};`
      : null;
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
