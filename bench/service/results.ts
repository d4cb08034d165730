import { writeFile } from "node:fs/promises";
import { describeMachine } from "../report/machine.ts";

/** One line of the report. */
export interface Result {
  readonly measure: string;
  readonly value: string;
  readonly bar?: string;
  readonly met?: boolean;
}

const introduction = `# Results of the service

The service, the model server behind it and the clients are processes of one machine and share its cores. Added latency:
2,000 requests one at a time, in turns of fifty with and without the service, over one connection each. Memory: growth
of the service's own resident memory, the most of three times after a first one. Queries: two
evaluations of a hundred rows over 32 connections for eight seconds, pages of ten rows or the summary alone. What was
asked before is answered from memory until something is written; with another filter each time it never is.`;

/** A Markdown table. */
export function formatResults(results: readonly Result[]): string {
  const lines = results.map(
    ({ measure, value, bar = "–", met }) =>
      `| ${measure} | ${value} | ${bar} | ${met === undefined ? "–" : met ? "yes" : "no"} |`,
  );
  return ["| measure | value | bar | met |", "| --- | ---: | ---: | --- |", ...lines].join("\n");
}

/** Replaces bench/RESULTS-SERVICE.md. */
export async function writeResults(results: readonly Result[], busy: string | null): Promise<void> {
  const facts = [
    ...(await describeMachine()),
    new Date().toISOString().slice(0, 10),
    "`npm run bench:service -- --write`",
    ...(busy === null ? [] : [`Note: ${busy}`]),
  ];
  const text = [introduction, facts.map((fact) => `- ${fact}`).join("\n"), formatResults(results)];
  await writeFile(new URL("../RESULTS-SERVICE.md", import.meta.url), `${text.join("\n\n")}\n`);
}
