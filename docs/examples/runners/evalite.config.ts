import { defineConfig } from "evalite/config";
import { evalcubeStorage } from "evalcube/evalite";

export default defineConfig({
  storage: () => evalcubeStorage({ db: "evals.duckdb", project: "acme/qa" }),
});
