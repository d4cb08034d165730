import { readFileSync, writeFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

// A process tells at its end what it used, since nobody else knows the peak of a process that has gone.
const file = process.env["EVALCUBE_BENCH_USED"];
if (file !== undefined && isMainThread)
  process.on("exit", () => {
    const { user, system } = process.cpuUsage();
    const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
    const used = { cpuMs: (user + system) / 1000, peakBytes: Number(kibibytes) * 1024 };
    writeFileSync(file, JSON.stringify(used));
  });
