import { defineConfig } from "vitest/config";
import { skippedReport } from "./test/support/skipped.ts";

// Files of a project share the modules that they load: loading them anew for each file is a sixth of the run. So a test that
// changes what others see (an environment variable, the working directory) puts it back, and one that puts another module in
// the place of one of ours is named `*.isolated.test.ts`.
const common = {
  maxWorkers: 2,
  testTimeout: 120_000,
  hookTimeout: 120_000,
  isolate: false,
  setupFiles: "test/support/warnings.ts",
  // What is polled comes, on a busy machine later than within the second that is usual.
  expect: { poll: { timeout: 20_000 } },
};

/** Rooms that take seconds: pure functions. */
const FAST = ["model", "oracle", "request", "stats", "structure"];

/** Of the projects whose tests start programs. */
const globalSetup = "test/support/built-programs.ts";

const tests = (folder: string) => `${folder}/**/*.test.ts`;
const isolated = "test/**/*.isolated.test.ts";
const long = "test/**/*.long.test.ts";

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
          exclude: [long],
        },
      },
      {
        test: {
          ...common,
          name: "standard",
          globalSetup,
          include: [tests("test")],
          exclude: [tests("test/slow"), tests("test/clickhouse"), isolated, long],
        },
      },
      { test: { ...common, name: "long", globalSetup, include: [long] } },
      { test: { ...common, name: "standard-isolated", include: [isolated], isolate: true } },
      // One server for all files, which takes a core.
      {
        test: { ...common, name: "clickhouse", include: [tests("test/clickhouse")], fileParallelism: false },
      },
      // The tests of records beside evaluations, which run on DuckDB in `standard`.
      {
        test: {
          ...common,
          name: "clickhouse-records",
          include: ["feedback", "training", "weave"].map((room) => tests(`test/${room}`)),
          // What is killed there is a service over a file.
          exclude: ["test/weave/kills.long.test.ts"],
          env: { EVALCUBE_TEST_RECORDS: "clickhouse" },
          fileParallelism: false,
        },
      },
      {
        test: {
          ...common,
          name: "slow",
          globalSetup,
          include: [tests("test/slow")],
          testTimeout: 3_600_000,
          fileParallelism: false,
          isolate: true,
        },
      },
    ],
  },
});
