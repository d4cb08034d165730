import { writeFile } from "node:fs/promises";
import { describeMachine } from "./machine.ts";

const subjects = `# Results

Medians of the runs with (least–most); in bold how many times the first subject's value. Each subject gave the same
answers as plain JavaScript before it was measured. \`floor\` asks evalcube's own tables by hand and writes the same bytes; it
loads nothing. Every trial is four calls. What took more than a minute in all ran fewer times. How answers and loads grow:
[RESULTS-GROWTH.md](RESULTS-GROWTH.md).`;

const growth = `# Results of growth

Medians of the runs with (least–most); in bold how many times the first subject's value. Each subject gave the same
answers as plain JavaScript before it was measured. Every trial is four calls; 16,000,000 trials are loaded from a file
compressed by gzip. Growth is against the table before, each four times as large as that. What took more than a minute
in all ran fewer times.`;

/** Replaces bench/RESULTS.md, or bench/RESULTS-GROWTH.md where there are several sizes. */
export async function writeResults(
  command: string,
  sections: readonly string[],
  isOfGrowth: boolean,
): Promise<void> {
  const facts = [...(await describeMachine()), new Date().toISOString().slice(0, 10), `\`${command}\``];
  const introduction = isOfGrowth ? growth : subjects;
  const text = [introduction, facts.map((fact) => `- ${fact}`).join("\n"), ...sections].join("\n\n");
  const file = isOfGrowth ? "../RESULTS-GROWTH.md" : "../RESULTS.md";
  await writeFile(new URL(file, import.meta.url), `${text}\n`);
}
