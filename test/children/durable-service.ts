import { createFeedback } from "../../src/feedback/feedback.ts";
import { createSqlFeedbackStore } from "../../src/feedback/sql-store.ts";
import { createHttpHandler } from "../../src/http/handler.ts";
import type { KeysFile } from "../../src/http/keys/key-ring.ts";
import { serveHttp } from "../../src/http/node/serve.ts";
import { createSqlTrainingStore } from "../../src/training/sql-store.ts";
import { createTraining } from "../../src/training/training.ts";
import { openTables } from "../http/duckdb-tables.ts";
import { NO_RESULTS } from "../http/running-service.ts";

/** Run by the durability test in a process that it kills: the database and the keys that it takes. */
const [, , path, keys = ""] = process.argv;
const store = await openTables(path);
const engine = {
  ...NO_RESULTS,
  feedback: createFeedback(createSqlFeedbackStore(store)),
  training: createTraining(createSqlTrainingStore(store)),
};
const handler = createHttpHandler(engine, { keys: JSON.parse(keys) as KeysFile });
const { url } = await serveHttp(handler, { port: 0 });
process.stdout.write(`${url}\n`);
