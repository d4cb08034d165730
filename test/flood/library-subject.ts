import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { inspect } from "node:util";
import { EvalcubeError, StoreError } from "../../src/index.ts";
import type { Random } from "../../src/stats/numeric/random.ts";
import type { Outcome, Subject } from "./flood.ts";
import { openFlooded } from "./flooded-engine.ts";
import { libraryCalls, type LibraryCall } from "./library-calls.ts";
import { pick } from "./hostile-values.ts";

/** The functions of the library whose names match. Paths that are made up lead nowhere else than to a new folder. */
export async function librarySubject(only: RegExp): Promise<Subject> {
  const before = process.cwd();
  const scratch = mkdtempSync(path.join(tmpdir(), "evalcube-test-"));
  const folder = path.join(scratch, "a/b/c/d");
  mkdirSync(folder, { recursive: true });
  process.chdir(folder);
  const engine = await openFlooded();
  const calls = libraryCalls(engine).filter(({ name }) => only.test(name));
  return {
    attempt: (random) => attempt(pick(random, calls), random),
    state: engine.state,
    close: async () => {
      await engine.close();
      process.chdir(before);
      rmSync(scratch, { recursive: true });
    },
  };
}

/** Each function with arguments that are right; resolves to what fails nonetheless. */
export async function rightCalls(): Promise<string[]> {
  const engine = await openFlooded();
  const faults: string[] = [];
  for (const one of libraryCalls(engine)) {
    await run(one, one.valid()).catch((error: unknown) => faults.push(`${one.name}: ${String(error)}`));
  }
  await engine.close();
  return faults;
}

async function attempt(call: LibraryCall, random: Random): Promise<Outcome> {
  const args = call.distort(random, call.valid());
  const { name, writes } = call;
  try {
    await run(call, args);
    return { name, stored: writes, fault: null };
  } catch (error) {
    const what = complaintAbout(error);
    const detail =
      what === null
        ? ""
        : inspect(args, { depth: 6, maxStringLength: 80, breakLength: Infinity, compact: 9 });
    return { name, stored: false, fault: what === null ? null : { what, detail } };
  }
}

async function run(call: LibraryCall, args: readonly unknown[]): Promise<void> {
  const result = await call.call(args);
  if (typeof result !== "object" || result === null || !(Symbol.asyncIterator in result)) return;
  for await (const piece of result as AsyncIterable<unknown>) void piece;
}

/** Null for the errors that callers are told to expect; else what it is. */
function complaintAbout(error: unknown): string | null {
  const isRaw = error instanceof StoreError && error.code === "query_failed";
  const isBroken = error instanceof EvalcubeError && /INTERNAL|FATAL/.test(error.message);
  if (error instanceof EvalcubeError && !isRaw && !isBroken) return null;
  if (!(error instanceof Error)) return `throws ${typeof error}`;
  const place = /at (?!.*node:).*?(src\/[\w/.-]+:\d+)/.exec(error.stack ?? "")?.[1] ?? "";
  return `${error.name} ${error.message.split("\n")[0]?.slice(0, 120)} ${place}`;
}
