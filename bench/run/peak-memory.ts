import { existsSync, readFileSync } from "node:fs";

const statusFile = "/proc/self/status";

/** Bytes. Linux starts a forked process's `maxRSS` at its parent's; `VmHWM` is the process's own. */
export function peakMemory(): number {
  const status = existsSync(statusFile) ? readFileSync(statusFile, "utf8") : "";
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(status) ?? [];
  return (kibibytes === undefined ? process.resourceUsage().maxRSS : Number(kibibytes)) * 1024;
}
