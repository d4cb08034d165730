import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } from "@microsoft/api-extractor";
import { ENTRIES } from "./bundle.ts";
import { withoutRepeated } from "./repeated-declarations.ts";

const ROOT = path.join(import.meta.dirname, "..");
const run = promisify(execFile);

/** The project's own checks read the sources and their comments. */
const QUIET = { default: { logLevel: ExtractorLogLevel.None } };

/** It exports another package as a whole, so there is nothing to roll up. */
const AS_IT_IS = "arrow";

type Entry = keyof typeof ENTRIES;

/** What the package declares: one file an entry, and the public API of each as a text to review. */
export interface Declarations {
  /** By entry, each as one text. */
  readonly types: ReadonlyMap<Entry, string>;
  /** By entry: the signatures of all that is exported, in the order of their names. */
  readonly api: ReadonlyMap<Entry, string>;
}

/** Rolls up the declarations of tsc, which are one file a source file. */
export async function rollUpDeclarations(): Promise<Declarations> {
  // Files below a folder `node_modules` count as those of another package.
  const folder = await mkdtemp(path.join(tmpdir(), "evalcube-declarations-"));
  try {
    await symlink(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"), "junction");
    const tsc = path.join(ROOT, "node_modules/typescript/bin/tsc");
    await run(process.execPath, [tsc, "-p", "tsconfig.build.json", "--outDir", folder], { cwd: ROOT });
    return await rolledUp(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function rolledUp(folder: string): Promise<Declarations> {
  await mkdir(path.join(folder, "api"));
  const entries = Object.keys(ENTRIES) as Entry[];
  const configs = entries.flatMap((entry) => (entry === AS_IT_IS ? [] : [configOf(folder, entry)]));
  const state = { current: null as CompilerState | null };
  const files = configs.map(({ mainEntryPointFilePath }) => mainEntryPointFilePath);
  for (const config of configs) {
    state.current ??= CompilerState.create(config, { additionalEntryPoints: files });
    extract(config, state.current);
  }
  await copyFile(sourceOf(folder, AS_IT_IS), rolledFile(folder, AS_IT_IS));
  const index = await readFile(rolledFile(folder, "index"), "utf8");
  const types = entries.map(async (entry) => {
    const text = await readFile(rolledFile(folder, entry), "utf8");
    return [entry, entry === "index" ? text : withoutRepeated(text, index)] as const;
  });
  const api = entries.flatMap((entry) =>
    entry === AS_IT_IS
      ? []
      : [readFile(path.join(folder, `api/${entry}.api.md`), "utf8").then((text) => [entry, text] as const)],
  );
  return { types: new Map(await Promise.all(types)), api: new Map(await Promise.all(api)) };
}

const sourceOf = (folder: string, entry: Entry) =>
  path.join(folder, path.relative("src", ENTRIES[entry]).replace(/\.ts$/, ".d.ts"));

const rolledFile = (folder: string, entry: Entry) => path.join(folder, `rolled/${entry}.d.ts`);

function configOf(folder: string, entry: Entry): ExtractorConfig {
  const file = sourceOf(folder, entry);
  return ExtractorConfig.prepare({
    configObject: {
      projectFolder: folder,
      mainEntryPointFilePath: file,
      newlineKind: "lf",
      compiler: { tsconfigFilePath: path.join(ROOT, "tsconfig.json") },
      messages: {
        compilerMessageReporting: QUIET,
        extractorMessageReporting: QUIET,
        tsdocMessageReporting: QUIET,
      },
      apiReport: {
        enabled: true,
        reportFolder: path.join(folder, "api"),
        reportTempFolder: path.join(folder, "temp"),
        reportFileName: `${entry}.api.md`,
      },
      docModel: { enabled: false },
      tsdocMetadata: { enabled: false },
      dtsRollup: { enabled: true, untrimmedFilePath: rolledFile(folder, entry) },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: path.join(ROOT, "package.json"),
  });
}

/** Throws the messages of errors; that a report is new is none. */
function extract(config: ExtractorConfig, compilerState: CompilerState): void {
  const messages: string[] = [];
  const { errorCount } = Extractor.invoke(config, {
    compilerState,
    localBuild: true,
    messageCallback: (message) => {
      if (message.logLevel === ExtractorLogLevel.Error) messages.push(message.text);
      message.handled = true;
    },
  });
  if (errorCount > 0) throw new Error(messages.join("\n"));
}
