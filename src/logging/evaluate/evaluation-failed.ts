import { EvalcubeError } from "../../errors.ts";
import type { EvaluationRun } from "../api.ts";

/** `evaluate` ended early, since as many trials were in error as `failOnError` says. `cause` is the first error. */
export class EvaluationFailed extends EvalcubeError {
  /** What became of the evaluation. */
  declare readonly run: EvaluationRun;

  constructor(errors: number, trials: number, cause: unknown) {
    super("evaluation_failed", `${errors} of ${trials} trials in error`, { cause });
  }
}
