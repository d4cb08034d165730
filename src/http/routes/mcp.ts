import { z } from "zod";
import { stopWith } from "../../flow/stop-with.ts";
import { describeFailure } from "../errors/failures.ts";
import { unknownPath } from "../errors/http-error.ts";
import { mayUse } from "../keys/key-ring.ts";
import { checkOwnSite } from "../keys/credentials.ts";
import { bytesAnswer } from "../wire/answer.ts";
import { readBodyText } from "./read-request.ts";
import type { ProtectedRoute } from "./route.ts";

const MOST_BYTES = 1024 * 1024;

/** One message of the protocol, and what answers it. */
const message = z.looseObject({ jsonrpc: z.literal("2.0") }).meta({ id: "JsonRpcMessage" });

export const mcpRoute: ProtectedRoute = {
  method: "POST",
  path: "/mcp",
  access: "any",
  id: "mcp",
  reads: true,
  summary: "The Model Context Protocol, for coding agents; it reads only",
  body: message,
  reply: message,
  example: {
    request: { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} },
    reply: { jsonrpc: "2.0", id: 1, result: { tools: [] } },
  },
  async run({ engine }, asked, principal) {
    const { raw, trace } = asked;
    checkOwnSite(raw);
    const { exportSql } = engine;
    if (exportSql === undefined) throw unknownPath();
    const body = await readBodyText(asked, MOST_BYTES);
    const { answerOverHttp } = await import("../../mcp/doors.ts");
    const { signal } = stopWith(raw.signal);
    const fault = (error: unknown) => {
      const { status, reason } = describeFailure(error, "body", trace.requestId);
      if (status >= 500) trace.fault(error);
      return reason;
    };
    const response = await answerOverHttp(
      {
        withEngine: (work) => work({ ...engine, exportSql }),
        mayName: (projectId) => mayUse(principal, projectId),
        fault,
        signal,
        onTool: (name) => (trace.detail = name),
      },
      new Request(raw.url, { method: "POST", headers: raw.headers, body, signal }),
    );
    const { status, headers } = response;
    return bytesAnswer(new Uint8Array(await response.arrayBuffer()), Object.fromEntries(headers), status);
  },
};
