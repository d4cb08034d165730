import { EvalcubeError } from "../../src/index.ts";

/** The error of ours with which something fails. */
export async function refusal(work: Promise<unknown>): Promise<EvalcubeError> {
  const outcome = await work.then(
    (value: unknown) => `the value ${JSON.stringify(value)}`,
    (error: unknown) => error,
  );
  if (outcome instanceof EvalcubeError) return outcome;
  throw new Error("expected an error of ours", { cause: outcome });
}
