import path from "node:path";
import { OPENS_BY_ITSELF } from "../flow/system.ts";
import { startProgram, trustedFolders } from "./start-program.ts";

/** Opens an address in the system's browser, which goes on by itself; rejects where there is no program to open it. */
export async function openInBrowser(address: string): Promise<void> {
  if (!OPENS_BY_ITSELF) return await startProgram("xdg-open", [address]);
  const { default: open } = await import("open");
  const before = process.env["PATH"];
  // The package starts a program by its name.
  process.env["PATH"] = trustedFolders().join(path.delimiter);
  try {
    await open(address);
  } finally {
    process.env["PATH"] = before;
  }
}
