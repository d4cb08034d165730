import { Table, tableToIPC } from "apache-arrow";
import { z } from "zod";
import { writeFramed, type Framed } from "../../../flow/framed.ts";
import { writeJson } from "../../../model/json.ts";
import { evalResultsRequest } from "../../../request/wire.ts";
import type { EvalResultsRequest } from "../../../request/eval-results-request.ts";
import { answerAsWritten } from "../../wire/streamed-answer.ts";
import { NAMES_PARAMETER, readProjectRequest } from "../read-request.ts";
import type { ProtectedRoute } from "../route.ts";
import type { ServiceEngine } from "../service.ts";

const TYPE = "application/octet-stream";

/** The parts of a result: warnings and head as JSON, then record batches, each as a stream of Arrow. */
async function* partsOf(
  engine: ServiceEngine,
  projectId: string,
  request: EvalResultsRequest,
  signal: AbortSignal,
): AsyncGenerator<Framed, void, undefined> {
  const warnings: string[] = [];
  const onWarning = (warning: string) => void warnings.push(warning);
  for await (const part of engine.queryColumns(projectId, request, { signal, onWarning })) {
    if (part.kind === "head") {
      yield { kind: "warnings", bytes: Buffer.from(writeJson(warnings)) };
      yield { kind: part.kind, bytes: Buffer.from(writeJson(part)) };
    } else yield { kind: part.kind, bytes: tableToIPC(new Table([part.batch]), "stream") };
  }
}

async function writeAll(
  chunks: AsyncIterable<Uint8Array>,
  stream: WritableStream<Uint8Array>,
): Promise<void> {
  const writer = stream.getWriter();
  try {
    for await (const chunk of chunks) await writer.write(chunk);
  } finally {
    writer.releaseLock();
  }
}

export const columnsResults: ProtectedRoute = {
  method: "POST",
  path: "/v2/{entity}/{project}/eval_results/columns",
  access: "basic",
  id: "queryColumns",
  reads: true,
  summary: "Rows, trials and score values as narrow tables, each behind a line of JSON with its bytes",
  parameters: [NAMES_PARAMETER],
  body: evalResultsRequest,
  reply: z.unknown().meta({ id: "Columns", description: "Parts of JSON and of Arrow." }),
  replyType: TYPE,
  example: { request: { evaluation_call_ids: ["run-1"] }, reply: "…" },
  async run(service, asked, principal) {
    const { projectId, request, stop } = await readProjectRequest(service, asked, principal);
    const parts = partsOf(service.engine, projectId, request as EvalResultsRequest, stop.signal);
    return answerAsWritten(
      (stream) => writeAll(writeFramed(parts), stream),
      () => ({ "content-type": TYPE }),
      { trace: asked.trace, stop },
    );
  },
};
