#!/usr/bin/env node
import { abortOnInterrupt } from "./terminal/interrupt.ts";
import { outliveClosedPipes } from "./terminal/terminal.ts";

const { stdin, stdout, stderr } = process;
outliveClosedPipes(stdout, stderr);
try {
  // The packages behind it are hundreds of files, more than some systems let a process open.
  const { run } = await import("./program.ts");
  process.exitCode = await run(process.argv.slice(2), { stdin, stdout, stderr, signal: abortOnInterrupt() });
} catch (error) {
  if (!(error instanceof Error && "code" in error && error.code === "EMFILE")) throw error;
  stderr.write("evalcube: too many files are open; let it open more, such as by ulimit -n 1024\n");
  process.exitCode = 1;
}
