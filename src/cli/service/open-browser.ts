import { spawn } from "node:child_process";

/** The program that opens an address with what the user has chosen for it, and what comes before the address. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};
const OPENER = ["xdg-open"] as const;

/** Opens an address in the system's browser, which goes on by itself; rejects where there is no program to open it. */
export function openBrowser(address: string): Promise<void> {
  const [program, ...before] = OPENERS[process.platform] ?? OPENER;
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...before, address], { stdio: "ignore", detached: true });
    child.once("error", reject);
    child.once("spawn", () => {
      child.unref();
      resolve();
    });
  });
}
