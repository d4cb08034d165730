import { readFileSync } from "node:fs";
import path from "node:path";
import { formOf } from "../../support/cut-bodies.ts";
import { PROJECT } from "../../support/records.ts";
import { readExchanges, type Exchange } from "../../weave/recorded.ts";
import { ask, BOTH, QUERY, half, read, readAll, rest, type Client, type Surroundings } from "./clients.ts";

/** What an SDK of W&B Weave sent while a program evaluated a model. */
const RECORDED = readExchanges(
  readFileSync(path.join(import.meta.dirname, "../../weave/traffic.ndjson"), "utf8"),
);
let programs = 0;

/** A program that evaluates a model: as it was recorded, with calls and feedback of its own. */
export const sdkProgram: Client = async (at) => {
  const program = `-${programs++}`;
  for (const exchange of RECORDED) await readAll(await send(at, exchange, program));
  await rest(at, 20_000);
};

function send(at: Surroundings, { method, path: address, body }: Exchange, program: string) {
  if (method === "GET") return ask(at, { path: address, scheme: "basic" });
  if (typeof body === "string")
    return ask(at, { path: address, body: ownIds(body, program), scheme: "basic" });
  const form = formOf("acme/own", body["file"]?.text ?? "");
  return ask(at, { path: address, body: form.body, type: form.type, scheme: "basic" });
}

/** The ids of calls, traces and feedback, each with an end of its own. */
function ownIds(text: string, program: string): string {
  return text.replaceAll(/(?<=["/])(?:run|t|(?:pred|pas|f)\d)(?=")/g, (id) => id + program);
}

const [BATCH = ""] = RECORDED.flatMap(({ path: address, body }) =>
  address === "/call/upsert_batch" && typeof body === "string" ? [body] : [],
);

/** Keeps a batch of calls open, and ends in the middle of it. */
export const cutProgram: Client = async ({ service, random }) => {
  const lines = ["POST /call/upsert_batch HTTP/1.1", "Host: x", `Authorization: Bearer ${service.key}`];
  const head = [...lines, "Content-Type: application/json", `Content-Length: ${BATCH.length}`, "", ""];
  await half(service, `${head.join("\r\n")}${BATCH.slice(0, random() * BATCH.length)}`, random() * 2000);
};

/** The page of two evaluations: its files, its answers as they come, and a page of rows; sometimes it is closed meanwhile. */
export const page: Client = async (at) => {
  const shell = await readAll(await ask(at, { path: "/view/" }));
  for (const [, file] of shell.matchAll(/(?:src|href)="([\w.-]+)"/g))
    await readAll(await ask(at, { path: `/view/${file}` }));
  for (const list of ["/v2/projects", `/v2/${PROJECT}/evaluations`])
    await readAll(await ask(at, { path: list, scheme: "basic" }));
  const question = { evaluations: BOTH, first_rows: 50 };
  await read(
    at,
    await ask(at, { path: QUERY.replace(/query$/, "view"), body: question, scheme: "basic" }),
    0,
  );
  const rows = {
    evaluation_call_ids: BOTH,
    include_raw_data_rows: true,
    resolve_row_refs: true,
    include_outputs: "line",
    include_trial_errors: true,
    limit: 50,
    offset: Math.floor(at.random() * 900),
  };
  await read(at, await ask(at, { path: QUERY, body: rows, scheme: "basic" }), 0);
  await rest(at, 20_000);
};
