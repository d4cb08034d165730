import { seededRandom, type Random } from "../../src/stats/numeric/random.ts";

/** How one attempt ended. */
export interface Outcome {
  /** What was called. */
  readonly name: string;
  /** Whether it may have stored something, as it was not refused. */
  readonly stored: boolean;
  /** What must not be, and the attempt that led to it. */
  readonly fault: { readonly what: string; readonly detail: string } | null;
}

/** What is flooded. */
export interface Subject {
  readonly attempt: (random: Random) => Promise<Outcome>;
  /** Differs when any stored record does. */
  readonly state: () => Promise<string>;
  readonly close: () => Promise<void>;
}

/** So many attempts share a database, so that what they store does not pile up. */
const ATTEMPTS_A_SUBJECT = 1000;
/** So many attempts that stored nothing are looked at together. */
const ATTEMPTS_A_LOOK = 25;
const LONGEST_MS = 60_000;

/** Makes `count` attempts, the first with `seed`; resolves to the faults, each kind once. */
export async function flood(seed: number, count: number, open: () => Promise<Subject>): Promise<string[]> {
  const faults = new Map<string, { count: number; readonly example: string }>();
  const tell = (what: string, example: string) => {
    const known = faults.get(what) ?? { count: 0, example };
    known.count++;
    faults.set(what, known);
  };
  for (let start = seed; start < seed + count; start += ATTEMPTS_A_SUBJECT) {
    const subject = await open();
    await floodSubject(subject, start, Math.min(seed + count, start + ATTEMPTS_A_SUBJECT), tell);
    await subject.close();
  }
  return [...faults].map(
    ([what, { count: times, example }]) => `${what} (${times} times, first: ${example})`,
  );
}

async function floodSubject(
  subject: Subject,
  first: number,
  end: number,
  tell: (what: string, example: string) => void,
): Promise<void> {
  let before = await subject.state();
  let unseen: string[] = [];
  for (let at = first; at < end; at++) {
    const { name, stored, fault } = await inTime(at, subject.attempt(seededRandom(at)));
    if (fault !== null) tell(`${name}: ${fault.what}`, `seed ${at}: ${fault.detail.slice(0, 300)}`);
    if (!stored) unseen.push(`${name} ${at}`);
    if (!stored && unseen.length < ATTEMPTS_A_LOOK && at < end - 1) continue;
    const now = await subject.state();
    if (!stored && now !== before) tell("something was stored by what was refused", unseen.join(", "));
    before = now;
    unseen = [];
  }
}

/** An attempt that does not end ends the flood: what it holds would never be closed. */
async function inTime(seed: number, attempt: Promise<Outcome>): Promise<Outcome> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Outcome>((_resolve, reject) => {
    const error = new Error(`seed ${seed}: no end within ${LONGEST_MS} ms`);
    timer = setTimeout(() => reject(error), LONGEST_MS);
  });
  try {
    return await Promise.race([attempt, late]);
  } finally {
    clearTimeout(timer);
  }
}
