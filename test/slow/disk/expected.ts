import { openCore } from "../../../src/engine/engine.ts";
import { createFeedback } from "../../../src/feedback/feedback.ts";
import { createSqlFeedbackStore } from "../../../src/feedback/sql-store.ts";
import { createSqlTrainingStore } from "../../../src/training/sql-store.ts";
import { createTraining } from "../../../src/training/training.ts";
import { readAnswers } from "./answers.ts";
import { applyOperation } from "./apply.ts";
import { readContents, type Contents } from "./contents.ts";
import type { Operation } from "./operations.ts";

/** What a database holds and answers after a number of operations. */
export interface Expected {
  readonly contents: Contents;
  readonly answers: readonly string[];
}

/** After none of the operations, the first, the first two and so on: as a database in memory has it, which no kill can reach. */
export async function expectedAfterEach(operations: readonly Operation[]): Promise<Expected[]> {
  const { store, ...core } = await openCore({ threads: 1 });
  const engine = {
    ...core,
    feedback: createFeedback(createSqlFeedbackStore(store)),
    training: createTraining(createSqlTrainingStore(store)),
  };
  const read = async (): Promise<Expected> => ({
    contents: await store.read((session) =>
      readContents(async (query) => {
        const found = await session.rows({ parts: [query], holes: [] });
        return found.map((values) => values.map(String));
      }),
    ),
    answers: await readAnswers(engine),
  });
  const expected = [await read()];
  for (const operation of operations) {
    await applyOperation(engine, operation);
    expected.push(await read());
  }
  await core.close();
  return expected;
}
