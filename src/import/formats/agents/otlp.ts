import path from "node:path";
import type { Format, LogSource, ReadContext, SourcePart } from "../../format.ts";
import { SourceFault, withPlace } from "../../read/fault.ts";
import { linesWithEnd, parseLine } from "../../read/json-lines.ts";
import { parsePlain, readDocument } from "../../read/json-pieces.ts";
import { expectObject } from "../../read/members.ts";
import { withoutNoNumbers } from "../../read/no-numbers.ts";
import type { SourceFile } from "../../read/source-file.ts";
import type { Head } from "../../recognise/head.ts";
import { hasMembers, type Prefix } from "../../recognise/json-prefix.ts";
import { hashOf } from "../../translate/ids.ts";
import type { LogEvaluation, LogItem } from "../../translate/log-parts.ts";
import type { Json } from "../../../model/json.ts";
import { agentTrials, type AgentTrial } from "../../../model/otlp/agent-trials.ts";
import { readExport, type Span, type ToldScore } from "../../../model/otlp/export.ts";
import { spanCall } from "../../../model/otlp/span-call.ts";
import { modelCounts } from "../../../model/token-counts.ts";
import { secondsBetween, withoutSecrets } from "./agent-trial.ts";
import { runNamed } from "./named-run.ts";

/** Exports of OpenTelemetry: spans of agents, and scores of them. */
export const otlp: Format = {
  name: "otlp",
  recognises: (head) => roleOf(head) !== null,
  files: {
    roleOf,
    runOf: (file) => path.dirname(file),
    counts: ["lines", "document"],
    owns: /$^/,
    readsCut: true,
  },
  read: readSpans,
};

function roleOf({ firstLine, json }: Head): string | null {
  const begin = firstLine ?? json;
  const first = Array.isArray(begin) ? (begin[0] as Prefix | undefined) : begin;
  if (!hasMembers(first, "resourceSpans") && !hasMembers(first, "resourceLogs")) return null;
  return firstLine === undefined ? "document" : "lines";
}

async function* readSpans({ parts }: LogSource, context: ReadContext): AsyncGenerator<LogItem> {
  const spans: Span[] = [];
  const scores: ToldScore[] = [];
  let records = 0;
  const notes = new Set<string>();
  for (const part of parts)
    for await (const { value, place } of exportsIn(part, context, notes))
      readExport(expectObject(value, place), place, {
        span: (span) => void spans.push(span),
        score: (score) => void scores.push(score),
        other: () => void records++,
        refused: (inside, why) => context.refuse(new SourceFault("invalid", inside, why)),
      });
  const told = agentTrials(spans, scores);
  for (const [index, trial] of told.trials.entries()) yield itemOf(trial, index, context);
  for (const text of notes) yield { kind: "note", text };
  const left = [
    [told.traces, "trace", "without a span of invoke_agent"],
    [told.spans, "span", "above or beside the agents of a trace"],
    [told.scores, "score", "of no trial"],
    [records, "log record", "that is no gen_ai.evaluation.result"],
  ] as const;
  for (const [count, what, which] of left)
    if (count > 0)
      yield { kind: "note", text: `leaves out ${count} ${what}${count === 1 ? "" : "s"} ${which}` };
}

/** The exports of a file, with their places. */
async function* exportsIn(
  part: SourcePart,
  { refuse }: ReadContext,
  notes: Set<string>,
): AsyncGenerator<{ readonly value: Json; readonly place: string }> {
  const file = await part.open();
  try {
    for await (const { read, place, isOpen } of valuesIn(file, part)) {
      try {
        const value = read();
        const list: readonly Json[] = Array.isArray(value) ? (value as readonly Json[]) : [value];
        for (const [i, one] of list.entries())
          yield { value: expectObject(one, place), place: Array.isArray(value) ? `${place}[${i}]` : place };
      } catch (error) {
        const fault = withPlace(place, error);
        if (!(fault instanceof SourceFault)) throw fault;
        if (isOpen && fault.message.startsWith("is not JSON"))
          notes.add("the last line is still being written; it is left out");
        else refuse(fault);
      }
    }
  } finally {
    await file.close();
  }
}

async function* valuesIn(file: SourceFile, { path: place, role }: SourcePart) {
  if (role === "document") {
    const piece = await readDocument(file.bytes());
    yield { read: () => parsePlain(piece), place, isOpen: false };
    return;
  }
  for await (const { line, isOpen } of linesWithEnd(file)) {
    const inside = `${place}, line ${line.line}`;
    yield { read: () => withoutNoNumbers(parseLine(line, inside)), place: inside, isOpen };
  }
}

function itemOf(trial: AgentTrial, index: number, { table }: ReadContext): LogItem {
  const { root, below, row, tokens } = trial;
  const [sample = ""] = Object.values(row);
  const seconds = secondsBetween(root.startedAt, root.endedAt);
  const known = Array.from(tokens, ([model, counts]) => [model, modelCounts(counts)] as const);
  return {
    kind: "trial",
    trial: {
      evaluation: evaluationOf(trial, table),
      place: `trace ${root.trace}`,
      sample,
      trial: `${root.trace}-${root.id}`,
      identity: { ...row, trace_id: root.trace, span_id: root.id },
      stable: row,
      output: trial.output,
      scores: trial.scores,
      details: trial.details,
      cost: trial.cost,
      error: trial.error,
      startedAt: root.startedAt,
      endedAt: root.endedAt,
      index,
      prediction: {
        seconds,
        usage: Object.fromEntries(known),
        attributes: spanCall(root).attributes,
      },
      calls: below.map((span) => ({
        parent: span.parent === root.id ? null : span.parent,
        members: spanCall(span),
      })),
      stopReason: trial.stopReason,
    },
  };
}

function evaluationOf(
  { task, model, agent, run, root }: AgentTrial,
  table: ReadContext["table"],
): LogEvaluation {
  const own = { task: table.taskName ?? task, model: table.modelName ?? model, label: agent };
  const ownId = run === null ? null : `${run}:${hashOf([own.task, own.label, own.model])}`;
  return { ...runNamed("otlp", own, table, ownId), spec: withoutSecrets(root.resource) };
}
