import { projectId } from "./parameters.ts";

/** Members named `…Json` hold JSON text. Times are microseconds since 1970. */
export interface CallText {
  readonly id: string;
  readonly op: string;
  readonly traceId: string;
  readonly parentId: string | null;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly exception?: string;
  readonly attributesJson: string;
  readonly inputsJson: string;
  readonly outputJson: string;
  readonly summaryJson: string;
  readonly displayName?: string;
}

/** One line of the calls file, with its line end. */
export function encodeCall(call: CallText): string {
  const parent = call.parentId === null ? "null" : `"${call.parentId}"`;
  const exception = call.exception === undefined ? "" : `"exception":${JSON.stringify(call.exception)},`;
  const name = call.displayName === undefined ? "" : `"display_name":${JSON.stringify(call.displayName)},`;
  return (
    `{"id":"${call.id}","project_id":"${projectId}","op_name":"${opRef(call.op)}",${name}` +
    `"trace_id":"${call.traceId}","parent_id":${parent},"started_at":"${timestamp(call.startedAt)}",` +
    `"ended_at":"${timestamp(call.endedAt)}",${exception}"attributes":${call.attributesJson},` +
    `"inputs":${call.inputsJson},"output":${call.outputJson},"summary":${call.summaryJson}}\n`
  );
}

export function objectRef(name: string): string {
  return `svc:///${projectId}/object/${name}:v1`;
}

function opRef(name: string): string {
  return `svc:///${projectId}/op/${name}:v1`;
}

function timestamp(microseconds: number): string {
  const seconds = Math.floor(microseconds / 1e6);
  const fraction = String(microseconds - seconds * 1e6).padStart(6, "0");
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}.${fraction}Z`;
}
