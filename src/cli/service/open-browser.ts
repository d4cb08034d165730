import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

/** The program that opens an address with what the user has chosen for it, and what comes before the address. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};
const OPENER = ["xdg-open"] as const;

/**
 * Opens an address in the system's browser, which goes on by itself; rejects where there is no program to open it. The
 * address may hold a secret, and everybody on the machine sees the arguments of programs: the browser gets a file instead
 * that only its owner can read, and that leads there. Resolves to what removes it.
 */
export async function openBrowser(address: string): Promise<() => Promise<void>> {
  const folder = await mkdtemp(path.join(tmpdir(), "evalcube-view-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const file = path.join(folder, "view.html");
    await writeFile(file, forwardingTo(address), { mode: 0o600 });
    await start(pathToFileURL(file).href);
    return remove;
  } catch (error) {
    await remove();
    throw error;
  }
}

function start(address: string): Promise<void> {
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

/** The address is one of ours: its members are percent-encoded. */
function forwardingTo(address: string): string {
  const text = address.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${text}">
<title>evalcube</title>
<p><a href="${text}">evalcube view</a></p>
</html>
`;
}
