import type { Format } from "../format.ts";
import { deepeval } from "./deepeval.ts";
import { evalcube } from "./evalcube/evalcube.ts";
import { helm } from "./helm/helm.ts";
import { lighteval } from "./lighteval/lighteval.ts";
import { lmEval } from "./lm-eval/lm-eval.ts";
import { everyEvalEver } from "./every-eval-ever.ts";
import { openaiEvals } from "./openai-evals/openai-evals.ts";
import { promptfoo } from "./promptfoo/promptfoo.ts";
import { table } from "./table/table.ts";
import { weave } from "./weave.ts";
import { inspect } from "./inspect/inspect.ts";

/** Formats that can be imported; the first that recognises a file reads it. */
export const IMPORT_FORMATS: readonly Format[] = [
  inspect,
  promptfoo,
  lmEval,
  openaiEvals,
  helm,
  weave,
  deepeval,
  everyEvalEver,
  lighteval,
  evalcube,
  table,
];
