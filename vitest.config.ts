import { defineConfig } from "vitest/config";

const common = { maxWorkers: 2, testTimeout: 60_000, hookTimeout: 120_000 };

export default defineConfig({
  test: {
    maxWorkers: common.maxWorkers,
    projects: [
      {
        test: {
          ...common,
          name: "standard",
          include: ["test/**/*.test.ts"],
          exclude: ["test/slow/**"],
        },
      },
      {
        test: {
          ...common,
          name: "slow",
          include: ["test/slow/**/*.test.ts"],
          testTimeout: 3_600_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
