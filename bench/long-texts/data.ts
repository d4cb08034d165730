import { once } from "node:events";
import { createWriteStream, statSync } from "node:fs";
import type { Data } from "./questions.ts";
import { evaluationOf, image, rootOf, transcript, trialOf } from "./transcripts.ts";

/** A text that is long enough to tell outputs apart behind what they have in common. */
const COMPARED = 4000;
const NEEDLE = 60;
const NEEDLES = 20;
const FIRST = 60;

/** What follows from the data alone. */
export function dataOf(trials: number, bytes: number): Data {
  const middle = Math.floor(bytes / 2);
  const texts = Array.from({ length: NEEDLES }, (_, i) =>
    transcript((i * 7) % trials, bytes).slice(middle, middle + NEEDLE),
  );
  const having = texts.map(() => 0);
  const heads: Buffer[] = [];
  for (let at = 0; at < trials; at++) {
    const text = transcript(at, bytes);
    heads.push(Buffer.from(text.slice(0, COMPARED)));
    for (const [i, needle] of texts.entries()) if (text.includes(needle)) having[i] = (having[i] ?? 0) + 1;
  }
  const order = (a: number, b: number) => Buffer.compare(heads[a] ?? Buffer.of(), heads[b] ?? Buffer.of());
  return {
    trials,
    bytes,
    needles: texts.map((text, i) => ({ text, having: having[i] ?? 0 })),
    first: heads
      .map((_, at) => at)
      .toSorted(order)
      .slice(0, FIRST),
  };
}

async function writeLines(path: string, records: Iterable<object>): Promise<number> {
  const out = createWriteStream(path);
  for (const record of records) if (!out.write(`${JSON.stringify(record)}\n`)) await once(out, "drain");
  out.end();
  await once(out, "close");
  return statSync(path).size;
}

/** An evaluation of these trials, and a small one beside it; returns the bytes. */
export function writeTrials(path: string, trials: number, bytes: number): Promise<number> {
  return writeLines(
    path,
    (function* () {
      yield* evaluationOf("e", trials, bytes);
      yield* evaluationOf("small", 100, 500);
    })(),
  );
}

const IMAGES = 40;
const IMAGE_BYTES = 1_000_000;

/** The same rows with images, in so many evaluations. */
export function writeImages(path: string, evaluations: number): Promise<number> {
  return writeLines(
    path,
    (function* () {
      for (let e = 0; e < evaluations; e++) {
        yield rootOf(`e${e}`);
        for (let at = 0; at < IMAGES; at++)
          yield trialOf(`e${e}`, at, 500, {
            question: `what is shown in ${at}?`,
            image: image(at, IMAGE_BYTES),
          });
      }
    })(),
  );
}

export const IMAGE_ROWS = { count: IMAGES, bytes: IMAGE_BYTES } as const;

/** One call of 30 MB, which a tool sent. */
export function writeLargeCall(path: string): Promise<number> {
  return writeLines(path, [rootOf("e"), trialOf("e", 0, 30_000_000)]);
}

/** Trials of 5 MB. */
export function writeLargeTrials(path: string): Promise<number> {
  return writeLines(path, evaluationOf("e", 40, 5_000_000));
}
