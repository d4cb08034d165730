import { openEngine } from "../../src/index.ts";

/**
 * Logs an evaluation of rows of one number each, so many with two trials a row, into the file of its first argument, or the database of a service, or goes on with
 * it. One trial in seven fails in the first run that makes it. Says `open`, then `<row> <trial>` for each trial that is durable, and
 * `end <trials> <errors> <skipped>`.
 */
const [file = "", rows = "0", attempt = "0"] = process.argv.slice(2);
const engine = await openEngine(
  file.startsWith("http:") ? { url: file, key: process.env["EVALCUBE_KEY"] } : { path: file, threads: 1 },
);
process.stdout.write("open\n");
const run = engine.startEvaluation<number, string>("acme/qa", {
  name: "killed",
  id: "killed",
  model: "bot",
  resume: true,
});
await run.flush();

async function log(row: number): Promise<void> {
  let prediction;
  try {
    prediction = run.startPrediction(row);
  } catch {
    return;
  }
  await new Promise((resolve) => setTimeout(resolve, row % 3));
  const { trial } = prediction;
  if (attempt === "0" && (row + trial) % 7 === 0) return await prediction.fail(new Error("no luck"));
  prediction.output(`${row}-${trial}`);
  prediction.logScore("row", row);
  prediction.logScore("even", (row + trial) % 2 === 0);
  await prediction.finish();
  process.stdout.write(`${row} ${trial}\n`);
}

for (let row = 0; row < Number(rows); row += 4)
  await Promise.all([0, 1, 2, 3].flatMap((n) => [log(row + n), log(row + n)]));
const { trials, errors, skipped } = await run.finish();
process.stdout.write(`end ${trials} ${errors} ${skipped}\n`);
await engine.close();
