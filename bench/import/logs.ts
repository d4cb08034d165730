import { writeFileSync } from "node:fs";
import path from "node:path";
import { header, jsonLog, evalLog, sample } from "../../test/import/inspect-logs.ts";
import { lmEvalResults, sampleLine, writeRun } from "../../test/import/lm-eval-logs.ts";
import { promptfooLog, result } from "../../test/import/promptfoo-logs.ts";
import { randomAt } from "../generate/random.ts";
import { sentences } from "../generate/text.ts";

/** A log of one tool that was written for the measurement. */
export interface WrittenLog {
  readonly name: string;
  readonly file: string;
}

const QUESTION = 80;
const ANSWER = 120;
const text = (kind: number, number: number, words: number) => sentences(randomAt(1, kind, number), words);

/** Writes one log of each tool, with so many samples each, into a folder. */
export function writeLogs(folder: string, samples: number): WrittenLog[] {
  const numbers = Array.from({ length: samples }, (_, i) => i);
  const write = (name: string, file: string, content: string | Buffer): WrittenLog => {
    writeFileSync(path.join(folder, file), content);
    return { name, file: path.join(folder, file) };
  };
  const inspect = numbers.map(inspectSample);
  return [
    write("inspect .eval", "inspect.eval", evalLog(header(), inspect)),
    write("inspect .json", "inspect.json", jsonLog(header(), inspect)),
    { name: "lm-eval", file: writeRun(folder, lmEvalResults({}), numbers.map(lmEvalLine)) },
    write("promptfoo", "promptfoo.json", JSON.stringify(promptfooLog([numbers.map(promptfooResult)]))),
    write(
      "table (CSV)",
      "answers.csv",
      ["id,model,question,answer,correct,score", ...numbers.map(csvLine)].join("\n"),
    ),
  ];
}

/** As Inspect writes it: the conversation stands in the messages, and again in the event of the model. */
function inspectSample(number: number) {
  const [question, answer] = [text(0, number, QUESTION), text(1, number, ANSWER)];
  const said = { role: "assistant", content: answer, id: `a${number}`, model: "m", source: "generate" };
  const messages = [
    { role: "system", content: "Answer in a few sentences.", id: `s${number}` },
    { role: "user", content: question, id: `u${number}` },
    said,
  ];
  const choice = { message: said, stop_reason: "stop" };
  const output = {
    model: "m",
    choices: [choice],
    completion: answer,
    usage: { input_tokens: 100, output_tokens: 150 },
  };
  const event = {
    event: "model",
    model: "m",
    input: messages.slice(0, 2),
    output,
    timestamp: "2026-01-01T00:00:02Z",
  };
  const scores = { match: number % 2 === 0 ? "C" : "I", quality: (number % 8) / 8 };
  const others = {
    input: question,
    target: text(2, number, 10),
    messages,
    output,
    events: [event, { event: "score", scores }],
  };
  return { ...sample(number, 1, scores), ...others };
}

function lmEvalLine(number: number) {
  const [question, answer] = [text(0, number, QUESTION), text(1, number, ANSWER)];
  return sampleLine(number, "none", number % 2, {
    doc: { question, answer: text(2, number, 10) },
    arguments: { gen_args_0: { arg_0: `Question: ${question}\nAnswer:`, arg_1: { until: ["\n"] } } },
    resps: [[answer]],
    filtered_resps: [answer],
  });
}

function promptfooResult(number: number) {
  const [question, answer] = [text(0, number, QUESTION), text(1, number, ANSWER)];
  return result(0, number, number % 2, {
    vars: { question },
    prompt: { raw: `Answer: ${question}`, label: "prompt 0" },
    response: { output: answer, tokenUsage: { total: 250, prompt: 100, completion: 150 } },
  });
}

function csvLine(number: number): string {
  return `${number},m,"${text(0, number, QUESTION)}","${text(1, number, ANSWER)}",${number % 2 === 0},${(number % 8) / 8}`;
}
