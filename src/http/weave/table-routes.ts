import {
  countReply,
  createTableRequest,
  queryTableRequest,
  tableCreated,
  tableDigestReply,
  tableFromDigestsRequest,
  tableRowsReply,
  tableStatsRequest,
  tableUpdated,
  updateTableRequest,
} from "../../weave/tables/requests.ts";
import { streamedRoute, weaveRoute } from "./weave-route.ts";

const project_id = "acme/qa";
const row = { x: 1 };
const rowDigest = "YTYlqmU0Pbsbmr5qusZ3P1yRvWDT8vX34urmnh24sic";
const digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

const queryTable = streamedRoute({
  path: "/table/query",
  id: "weaveQueryTable",
  summary: "Rows of a table; all of them without a limit",
  body: queryTableRequest,
  reply: tableRowsReply,
  example: {
    request: { project_id, digest, limit: 100 },
    reply: { rows: [{ digest: rowDigest, val: row, original_index: 0 }] },
  },
  pieces: (text, weave, caller) => weave.queryTable(text, caller),
});

export const tableRoutes = [
  weaveRoute({
    path: "/table/create",
    id: "weaveCreateTable",
    summary: "Store rows, and the table of them",
    body: createTableRequest,
    reply: tableCreated,
    example: {
      request: { table: { project_id, rows: [row] } },
      reply: { digest, row_digests: [rowDigest] },
    },
    run: (text, { weave, caller }) => weave.createTable(text, caller),
  }),
  weaveRoute({
    path: "/table/create_from_digests",
    id: "weaveCreateTableFromDigests",
    summary: "Store a table of rows that are stored",
    body: tableFromDigestsRequest,
    reply: tableDigestReply,
    example: { request: { project_id, row_digests: [rowDigest] }, reply: { digest } },
    run: (text, { weave, caller }) => weave.createTableFromDigests(text, caller),
  }),
  weaveRoute({
    path: "/table/update",
    id: "weaveUpdateTable",
    summary: "Store a table that differs from another one",
    body: updateTableRequest,
    reply: tableUpdated,
    example: {
      request: { project_id, base_digest: digest, updates: [{ append: { row } }] },
      reply: { digest, updated_row_digests: [rowDigest] },
    },
    run: (text, { weave, caller }) => weave.updateTable(text, caller),
  }),
  queryTable,
  weaveRoute({
    path: "/table/query_stats",
    id: "weaveCountTable",
    reads: true,
    summary: "How many rows a table has",
    body: tableStatsRequest,
    reply: countReply,
    example: { request: { project_id, digest }, reply: { count: 1 } },
    run: (text, { weave, caller }) => weave.countTable(text, caller),
  }),
];
