import { PROJECT } from "../../support/records.ts";
import { jobRequest, modelRequest, USER } from "./apply.ts";
import type { Operation } from "./operations.ts";

/** Sends an operation to a running service; resolves when it has acknowledged it. */
export async function sendOperation(url: string, key: string, operation: Operation): Promise<void> {
  const basic = `Basic ${Buffer.from(`${USER}:${key}`).toString("base64")}`;
  const bearer = { authorization: `Bearer ${key}`, "openai-project": PROJECT };
  if (operation.kind === "feedback")
    return post(`${url}/feedback/create`, operation.record, { authorization: basic });
  if (operation.kind === "model") return post(`${url}/v1/preview/models`, modelRequest(operation), bearer);
  if (operation.kind !== "job") throw new Error(`the service takes no ${operation.kind}`);
  return post(`${url}/v1/preview/training-jobs`, jobRequest(operation), {
    ...bearer,
    "idempotency-key": operation.name,
  });
}

async function post(url: string, body: object, headers: Record<string, string>): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
}
