import { execFile, spawn } from "node:child_process";
import { accessSync, constants, realpathSync, statSync } from "node:fs";
import path from "node:path";

/** What a program may use, and how long. */
interface ProgramLimits {
  /** The folder that it runs in. */
  readonly folder: string;
  /** Its environment beside `PATH`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly milliseconds: number;
  /** The most that it may print. */
  readonly bytes: number;
}

/** Runs a program to its end; resolves to what it prints, null where it fails, takes too long, or is not there. */
export function runProgram(
  name: string,
  args: readonly string[],
  { folder, env, milliseconds, bytes }: ProgramLimits,
): Promise<Buffer | null> {
  const program = findProgram(name);
  if (program === null) return Promise.resolve(null);
  const options = {
    cwd: folder,
    env: { ...env, PATH: trustedFolders().join(path.delimiter) },
    timeout: milliseconds,
    killSignal: "SIGKILL",
    maxBuffer: bytes,
    windowsHide: true,
    encoding: "buffer",
  } as const;
  return new Promise((resolve) => {
    const child = execFile(program, args, options, (error, stdout) =>
      resolve(error === null ? stdout : null),
    );
    child.stdin?.end();
  });
}

/** Starts a program that goes on by itself, outside of the working folder; rejects where it is not there. */
export function startProgram(name: string, args: readonly string[]): Promise<void> {
  const program = findProgram(name);
  if (program === null) return Promise.reject(new Error(`there is no program ${name}`));
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: path.parse(program).root,
      env: { ...process.env, PATH: trustedFolders().join(path.delimiter) },
      stdio: "ignore",
      detached: true,
    });
    child.once("error", reject);
    child.once("spawn", () => {
      child.unref();
      resolve();
    });
  });
}

/** The path of a program; null where there is none. */
function findProgram(name: string): string | null {
  const file = path.sep === "\\" ? `${name}.exe` : name;
  return (
    trustedFolders()
      .map((folder) => path.join(folder, file))
      .find(isProgram) ?? null
  );
}

/** Where npm links the programs of packages. */
const OF_PACKAGES = path.join("node_modules", ".bin");

/** The folders of `PATH` that do not depend on the working folder, and are not it. */
export function trustedFolders(): string[] {
  const here = realFolder(process.cwd());
  return (process.env["PATH"] ?? "")
    .split(path.delimiter)
    .filter((one) => path.isAbsolute(one) && !path.resolve(one).endsWith(OF_PACKAGES))
    .filter((one) => realFolder(one) !== here);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** A folder with all links followed; as it is where it is not there. */
export function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return path.resolve(folder);
  }
}
