import type { BesideAnswer } from "./beside.ts";
import type { DiffAnswer } from "./diff.ts";
import type { ToolsAnswer } from "./tools-answer.ts";
import type { TrialAnswer } from "./trial.ts";

/** What agents did inside trials; which view it is tells `view`, and of `diff` whether there are `lines`. */
export type StepsAnswer = ToolsAnswer | TrialAnswer | DiffAnswer | BesideAnswer;
