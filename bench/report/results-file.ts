import { writeFile } from "node:fs/promises";
import { describeMachine } from "./machine.ts";

const introduction = `# Results

Medians of the runs with (least–most); in bold how many times the first subject's value. Each subject gave the same
answers as plain JavaScript before it was measured. \`floor\` answers less: which rows, or the sums, nothing of the trials.
Every trial is four calls. Growth is against the table before. What took more than a minute in all ran fewer times.`;

/** Replaces bench/RESULTS.md. */
export async function writeResults(command: string, sections: readonly string[]): Promise<void> {
  const facts = [...(await describeMachine()), new Date().toISOString().slice(0, 10), `\`${command}\``];
  const text = [introduction, facts.map((fact) => `- ${fact}`).join("\n"), ...sections].join("\n\n");
  await writeFile(new URL("../RESULTS.md", import.meta.url), `${text}\n`);
}
