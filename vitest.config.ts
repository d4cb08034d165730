import { defineConfig } from "vitest/config";
import { skippedReport } from "./test/support/skipped.ts";

const common = { maxWorkers: 2, testTimeout: 120_000, hookTimeout: 120_000 };

/** Rooms that take seconds: pure functions, and statements that are compared with those written down. */
const FAST = ["golden", "model", "oracle", "request", "stats", "structure"];

const tests = (folder: string) => `${folder}/**/*.test.ts`;

export default defineConfig({
  test: {
    maxWorkers: common.maxWorkers,
    reporters: ["default", skippedReport((text) => process.stdout.write(text))],
    projects: [
      // Part of `standard`.
      {
        test: {
          ...common,
          name: "fast",
          include: FAST.map((room) => tests(`test/${room}`)),
          // Loading the modules takes longer than most of these tests.
          isolate: false,
        },
      },
      { test: { ...common, name: "standard", include: [tests("test")], exclude: [tests("test/slow")] } },
      {
        test: {
          ...common,
          name: "slow",
          include: [tests("test/slow")],
          testTimeout: 3_600_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
