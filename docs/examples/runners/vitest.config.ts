import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["**/*.eval.test.ts"],
    reporters: ["default", ["evalcube/vitest", { db: "evals.duckdb", project: "acme/qa" }]],
  },
});
