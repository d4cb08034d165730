import { openEngine, type Engine } from "../../../src/index.ts";
import { root, trial } from "../../support/records.ts";
import { readAnswers } from "./answers.ts";
import { inconsistencies } from "./consistency.ts";
import { differences, readContents, type Contents } from "./contents.ts";
import { withDatabase } from "./database-texts.ts";
import type { Expected } from "./expected.ts";

/** What became of a database whose disk was rebuilt. */
export interface Verdict {
  /** Empty: all is well. */
  readonly problems: readonly string[];
  /** How many operations it holds; null when it is none of the prefixes that are allowed. */
  readonly prefix: number | null;
}

/**
 * Opens a database as a user would. It must hold the first `from` operations, or up to `to` of them; answer like one
 * that was never disturbed; have nothing twice or without its counterpart; and take more, before and after a closing.
 */
export async function checkState(
  file: string,
  expected: readonly Expected[],
  from: number,
  to: number,
): Promise<Verdict> {
  const answers = await opened(file, async (engine) => {
    const { problems } = await engine.check();
    return { problems: problems.map(({ message }) => message), answers: await readAnswers(engine) };
  });
  const found = await readDatabase(file);
  const allowed = expected.slice(from, to + 1);
  const match = allowed.findIndex(
    (one) => differences(one.contents, found.contents).length === 0 && isSame(one.answers, answers.answers),
  );
  const problems = [...answers.problems, ...found.problems];
  if (match < 0) problems.push(...describe(allowed, found.contents, answers.answers));
  if (problems.length > 0) return { problems, prefix: null };
  return { problems: await useFurther(file, found.contents), prefix: from + match };
}

async function opened<T>(file: string, work: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = await openEngine({ path: file, threads: 1 });
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
}

function readDatabase(file: string): Promise<{ contents: Contents; problems: string[] }> {
  return withDatabase(file, async (readTexts) => ({
    contents: await readContents(readTexts),
    problems: await inconsistencies(readTexts),
  }));
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, i) => text === b[i]);
}

/** How the closest of the allowed differs. */
function describe(allowed: readonly Expected[], contents: Contents, answers: readonly string[]): string[] {
  const all = allowed.map((one) => differences(one.contents, contents));
  const closest = all.toSorted((a, b) => a.length - b.length)[0] ?? ["no prefix is allowed"];
  if (closest.length > 0) return closest;
  const wanted = allowed.find((one) => differences(one.contents, contents).length === 0)?.answers ?? [];
  const i = answers.findIndex((text, at) => text !== wanted[at]);
  return [`answer ${i}: ${answers[i]?.slice(0, 200)} instead of ${wanted[i]?.slice(0, 200)}`];
}

const LATER = "later/on";

/** Stores, changes and stores again, in a project of its own and one stored call; then all of it must be there, once. */
async function useFurther(file: string, before: Contents): Promise<string[]> {
  const touched = before["calls"]?.findLast((line) => line.startsWith('["acme/qa"'));
  const later = (n: number) => [
    root("later", { project_id: LATER }),
    ...[0, 1, 2].map((i) => trial(`l${i}`, { i }, { n }, { project_id: LATER, parent_id: "later" })),
  ];
  await opened(file, async (engine) => {
    await engine.ingestCalls(later(1));
    if (touched !== undefined) {
      const [project_id, id] = JSON.parse(touched) as [string, string];
      await engine.ingestCalls([{ project_id, id, summary: { touched: true } }]);
    }
    await engine.ingestCalls(later(2));
  });
  const answered = await opened(file, (engine) => engine.listEvaluations(LATER));
  const after = await readDatabase(file);
  const counts = JSON.stringify(answered.map(({ id, trial_count }) => [id, trial_count]));
  return [
    ...after.problems,
    ...differences(withoutLater(before), withoutLater(after.contents)),
    ...(counts === '[["later",3]]' ? [] : [`evaluations of ${LATER}: ${counts}`]),
  ].map((problem) => `after a further load: ${problem}`);
}

function withoutLater(contents: Contents): Contents {
  const others = Object.entries(contents).filter(([table]) => table !== "call_records");
  return Object.fromEntries(
    others.map(([table, lines]) => [table, lines.filter((line) => !line.startsWith(`["${LATER}"`))]),
  );
}
