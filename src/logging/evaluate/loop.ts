import type { Turns } from "../../model/turns.ts";
import type { EvaluateOptions } from "../api.ts";
import type { Run } from "../run/run.ts";
import type { Stopping } from "./limited.ts";

/** What the workers of an evaluation share. */
export interface Loop<Row, Output> {
  readonly run: Run;
  readonly options: EvaluateOptions<Row, Output>;
  readonly total: number | null;
  readonly items: AsyncGenerator<Row, void>;
  readonly stopping: Stopping;
  readonly turns: Turns;
  /** Trials that have ended, and those of them in error with the first error. */
  readonly ended: { trials: number; errors: number; firstError: unknown };
}
