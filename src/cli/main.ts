#!/usr/bin/env node
import { mayOpenFewFiles, saysTooFewFiles, TOO_FEW_FILES } from "./terminal/open-files.ts";

const { stdin, stdout, stderr } = process;
try {
  // What it needs is hundreds of files, more than some systems let a process open.
  const { outliveClosedPipes } = await import("./terminal/terminal.ts");
  outliveClosedPipes(stdout, stderr);
  const { abortOnInterrupt } = await import("./terminal/interrupt.ts");
  const { run } = await import("./program.ts");
  process.exitCode = await run(process.argv.slice(2), { stdin, stdout, stderr, signal: abortOnInterrupt() });
} catch (error) {
  if (!saysTooFewFiles(error) && !mayOpenFewFiles()) throw error;
  stderr.write(`evalcube: ${TOO_FEW_FILES}\n`);
  process.exitCode = 1;
}
