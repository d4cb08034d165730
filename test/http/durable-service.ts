import { createFeedback } from "../../src/feedback/feedback.ts";
import { createSqlFeedbackStore } from "../../src/feedback/sql-store.ts";
import { createHttpHandler } from "../../src/http/handler.ts";
import { generateKey } from "../../src/http/keys.ts";
import { serveHttp } from "../../src/http/serve.ts";
import { evalResultsRequest } from "../../src/request/wire.ts";
import { createSqlTrainingStore } from "../../src/training/sql-store.ts";
import { createTraining } from "../../src/training/training.ts";
import { openTables } from "./duckdb-tables.ts";
import { piecesOf } from "./running-service.ts";

/** Run by the durability test in a process that it kills. */
const store = await openTables(process.argv[2]);
const { key, entry } = generateKey("ann", ["acme/*"], new Date());
const engine = {
  streamEvalResults: () => piecesOf("{}"),
  evalResultsRequestSchema: evalResultsRequest,
  feedback: createFeedback(createSqlFeedbackStore(store)),
  training: createTraining(createSqlTrainingStore(store)),
};
const handler = createHttpHandler(engine, { keys: { version: 1, keys: [entry] } });
const { url } = await serveHttp(handler, { port: 0 });
process.stdout.write(`${JSON.stringify({ url, key })}\n`);
