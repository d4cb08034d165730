import { Agent } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { seededRandom } from "../../../src/stats/numeric/random.ts";
import { scratchFolder } from "../../support/scratch.ts";
import {
  chatStream,
  chatter,
  cutForm,
  deaf,
  feedbackWriter,
  halfSender,
  impatient,
  resultPage,
  resultStream,
  trainer,
  type Client,
} from "./clients.ts";
import { cutProgram, page, sdkProgram } from "./sdk-and-page.ts";
import { COLLECTED_EVERY_MS, startSoaked, type Sample, type SoakedService } from "./soaked-service.ts";

const SECONDS = Number(process.env["SECONDS"] ?? 300);
/** Another one by SEED=. */
const SEED = Number(process.env["SEED"] ?? 20260103);
/**
 * By which what the process holds once garbage was collected may be larger in the last fifth of the time than in the second: the first is
 * for warming up.
 */
const ALLOWED_MEBIBYTES = 32;
const SAMPLED_EVERY_MS = 500;
/** By which it may have more descriptors when all have left than before they came. */
const ALLOWED_DESCRIPTORS = 10;

/** Two hundred and more, of whom a hundred have a stream. */
const CLIENTS: readonly (readonly [Client, number])[] = [
  [chatStream, 70],
  [resultStream, 30],
  [resultPage, 30],
  [feedbackWriter, 25],
  [trainer, 15],
  [chatter, 10],
  [impatient, 10],
  [halfSender, 10],
  [deaf, 15],
  [cutForm, 5],
  [sdkProgram, 10],
  [cutProgram, 5],
  [page, 10],
];

it(`memory and descriptors of the service stay what they are under 200 connections (SEED=${SEED})`, async () => {
  const service = await startSoaked(scratchFolder());
  onTestFinished(async () => void (await service.stop()));
  const before = service.sample();
  const { samples, statuses, troubles } = await soak(service);
  const mebibytes = fifths(troughs(samples.map(({ residentBytes }) => residentBytes / 2 ** 20)));
  const descriptors = fifths(samples.map((sample) => sample.descriptors));
  process.stdout.write(`${JSON.stringify({ mebibytes, descriptors, statuses })}\n`);
  expect(troubles).toEqual([]);
  expect(Object.keys(statuses)).toEqual(["200"]);
  const [, second = 0, , , last = 0] = mebibytes;
  expect(last - second).toBeLessThan(ALLOWED_MEBIBYTES);
  const left = () => service.sample().descriptors - before.descriptors;
  await expect.poll(left, { timeout: 60_000 }).toBeLessThan(ALLOWED_DESCRIPTORS);
  expect(await service.stop()).toBe(0);
});

/** So many samples are taken between two collections of garbage. */
const SAMPLES_A_COLLECTION = COLLECTED_EVERY_MS / SAMPLED_EVERY_MS;

/** The smallest value between each two collections. */
function troughs(values: readonly number[]): number[] {
  const count = Math.floor(values.length / SAMPLES_A_COLLECTION);
  return Array.from({ length: count }, (_, at) =>
    Math.min(...values.slice(at * SAMPLES_A_COLLECTION, (at + 1) * SAMPLES_A_COLLECTION)),
  );
}

/** The median of each fifth of the time, rounded. */
function fifths(all: readonly number[]): number[] {
  const length = Math.floor(all.length / 5);
  return [0, 1, 2, 3, 4].map((part) => {
    const values = all.slice(part * length, (part + 1) * length);
    return Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0);
  });
}

/** Lets all clients work for the whole time; what they meet, and what the process has meanwhile. */
async function soak(service: SoakedService) {
  const end = Date.now() + SECONDS * 1000;
  const statuses: Record<string, number> = {};
  const troubles: string[] = [];
  const answered = (status: number) => {
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  const work = async (client: Client, seed: number) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const surroundings = { service, agent, random: seededRandom(seed), answered };
    while (Date.now() < end) {
      await client(surroundings).catch((error: unknown) => void troubles.push(String(error)));
    }
    agent.destroy();
  };
  const clients = CLIENTS.flatMap(([client, count]) => Array.from({ length: count }, () => client));
  const working = Promise.all(clients.map((client, at) => work(client, SEED + at)));
  const samples: Sample[] = [];
  while (Date.now() < end) {
    samples.push(service.sample());
    await pause(SAMPLED_EVERY_MS);
  }
  await working;
  return { samples, statuses, troubles };
}
