import { z } from "zod";

const texts = z.array(z.string().min(1)).max(1_000_000).readonly();
const name = z.string().min(1);

/** What is asked of what is stored by whoever adds to it: loads of logs, and loggers that go on. */
export const storedQuestionWire = z
  .discriminatedUnion("ask", [
    z.strictObject({ ask: z.literal("roots"), task: z.string(), model: z.string() }),
    z.strictObject({ ask: z.literal("calls"), ids: texts }),
    z.strictObject({ ask: z.literal("trial_count"), root: name }),
    z.strictObject({ ask: z.literal("call_ids"), root: name }),
    z.strictObject({ ask: z.literal("has_rows") }),
    z.strictObject({ ask: z.literal("row_values"), digests: texts }),
    z.strictObject({ ask: z.literal("shared_rows"), digests: texts, root: name }),
    z.strictObject({ ask: z.literal("evaluation"), id: name }),
    z.strictObject({ ask: z.literal("trial"), id: name, scorer: name, call: name }),
  ])
  .meta({ id: "StoredQuestion" });

export type StoredQuestion = z.output<typeof storedQuestionWire>;

/** The member of an engine that a service asks; none of the library, since questions change with releases. */
export const ASK_STORED = Symbol.for("evalcube.askStored");

/** Answers with plain data. Rejects with `RequestError`. */
export type AskStored = (projectId: string, question: StoredQuestion) => Promise<unknown>;
