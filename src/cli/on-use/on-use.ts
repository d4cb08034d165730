/*
 * What commands import when they run, as one module, so that help and usage errors load no database and the package has
 * few files.
 */
export { checkHandlerFiles, createHttpHandler } from "../../http/handler.ts";
export { generateKey } from "../../http/keys/key-ring.ts";
export { createLogger } from "../../http/log/logger.ts";
export { answeringOnlyFor, ownHosts } from "../../http/node/own-hosts.ts";
export { checkPort, patienceOf, serveHttp } from "../../http/node/serve.ts";
export { digestOf } from "../../logging/call-records.ts";
export { checkEvaluate, misspeltMember } from "../../logging/check-options.ts";
export { runName } from "../../logging/run.ts";
export { namedObject, plainJson } from "../../logging/values.ts";
export { keyDigest, rowDigest } from "../../model/digest.ts";
export { suitesOf } from "../../request/saved-baseline.ts";
export { migrate } from "../../engine/migrate.ts";
export { readDescribed, writeDescribed } from "../../duckdb/described-file.ts";
export { makeReport, renderReport } from "../../view/make-report.ts";
export { openEngine } from "../../index.ts";
export { loadKeptRuns } from "../../runners/kept-runs.ts";
export { openPatiently } from "../../engine/open-backend.ts";
export { inTemporaryFile, replaceFile } from "../../engine/export/to-file.ts";
export { createKey, listKeys, revokeKey, rotateKey } from "../../http/keys/keys-file.ts";
export { printSqlTable } from "../tables/sql-table.ts";
