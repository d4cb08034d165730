import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Runs npm in a folder; resolves to what it prints. On Windows a script cannot start `npm` by its name alone. */
export async function npm(cwd: string, ...args: readonly string[]): Promise<string> {
  const cli = process.env["npm_execpath"] ?? "";
  const [command, before] = /npm-cli\.c?js$/.test(cli) ? [process.execPath, [cli]] : ["npm", []];
  const { stdout } = await run(command, [...before, ...args], { cwd, maxBuffer: 2 ** 26 });
  return stdout;
}
