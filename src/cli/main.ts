#!/usr/bin/env node
import { abortOnInterrupt } from "./terminal/interrupt.ts";
import { run } from "./program.ts";
import { outliveClosedPipes } from "./terminal/terminal.ts";

const { stdin, stdout, stderr } = process;
outliveClosedPipes(stdout, stderr);
process.exitCode = await run(process.argv.slice(2), { stdin, stdout, stderr, signal: abortOnInterrupt() });
