import { FORMAT_NAMES, type Format } from "../format.ts";
import { deepeval } from "./deepeval.ts";
import { evalcube } from "./evalcube/evalcube.ts";
import { harbor } from "./agents/harbor.ts";
import { helm } from "./helm/helm.ts";
import { lighteval } from "./lighteval/lighteval.ts";
import { lmEval } from "./lm-eval/lm-eval.ts";
import { everyEvalEver } from "./every-eval-ever.ts";
import { openaiEvals } from "./openai-evals/openai-evals.ts";
import { promptfoo } from "./promptfoo/promptfoo.ts";
import { sweAgent } from "./agents/swe-agent.ts";
import { tauBench } from "./agents/tau-bench.ts";
import { table } from "./table/table.ts";
import { weave } from "./weave.ts";
import { inspect } from "./inspect/inspect.ts";

const FORMATS: Readonly<Record<(typeof FORMAT_NAMES)[number], Format>> = {
  inspect,
  promptfoo,
  "lm-eval": lmEval,
  "openai-evals": openaiEvals,
  helm,
  weave,
  deepeval,
  eee: everyEvalEver,
  lighteval,
  evalcube,
  harbor,
  "tau-bench": tauBench,
  "swe-agent": sweAgent,
  table,
};

/** Formats that can be imported, in the order of their names; the first that recognises a file reads it. */
export const IMPORT_FORMATS: readonly Format[] = FORMAT_NAMES.map((name) => FORMATS[name]);
