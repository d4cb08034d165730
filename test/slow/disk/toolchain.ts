import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";

const ROOT = path.join(import.meta.dirname, "../../..");

/** Why nothing can be recorded here; null where it can. */
export function recorderMissing(): string | null {
  if (process.platform !== "linux")
    return `recording preloads a library, which is written for Linux, not ${process.platform}`;
  const found = spawnSync("cc", ["--version"], { stdio: "ignore" });
  return found.status === 0 ? null : "there is no C compiler (cc) to build the recorder with";
}

/** Builds the recorder into a folder; answers its path. */
export function buildRecorder(folder: string): string {
  const library = path.join(folder, "record.so");
  const source = path.join(import.meta.dirname, "record.c");
  execFileSync("cc", [
    "-shared",
    "-fPIC",
    "-O2",
    "-Wall",
    "-Werror",
    "-o",
    library,
    source,
    "-ldl",
    "-lpthread",
  ]);
  return library;
}

/** Compiles the sources and these tests into a folder, so that their processes start quickly; answers the folder. */
export function buildProgram(folder: string): string {
  const out = path.join(folder, "program");
  mkdirSync(out);
  const config = path.join(folder, "tsconfig.json");
  const include = ["src", "test/slow/disk/children"].map((one) => path.join(ROOT, one));
  const compilerOptions = {
    noEmit: false,
    rootDir: ROOT,
    outDir: out,
    typeRoots: [path.join(ROOT, "node_modules/@types")],
  };
  writeFileSync(
    config,
    JSON.stringify({ extends: path.join(ROOT, "tsconfig.json"), compilerOptions, include }),
  );
  execFileSync(process.execPath, [path.join(ROOT, "node_modules/typescript/bin/tsc"), "-p", config], {
    stdio: "inherit",
  });
  for (const name of ["sql", "node_modules", "package.json"]) {
    if (!existsSync(path.join(out, name))) symlinkSync(path.join(ROOT, name), path.join(out, name));
  }
  return out;
}

/** The environment in which a process is recorded. */
export function recordedEnvironment(library: string, folder: string, trace: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    LD_PRELOAD: library,
    EVALCUBE_RECORD_FOLDER: folder,
    EVALCUBE_RECORD_TRACE: trace,
    UV_USE_IO_URING: "0",
  };
}
