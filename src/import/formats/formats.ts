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
import { miniSweAgent } from "./agents/mini-swe-agent.ts";
import { openHands } from "./agents/openhands.ts";
import { sweAgent } from "./agents/swe-agent.ts";
import { tau2Bench } from "./agents/tau2-bench.ts";
import { terminalBench } from "./agents/terminal-bench.ts";
import { tauBench } from "./agents/tau-bench.ts";
import { otlp } from "./agents/otlp.ts";
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
  "tau2-bench": tau2Bench,
  "swe-agent": sweAgent,
  "mini-swe-agent": miniSweAgent,
  openhands: openHands,
  "terminal-bench": terminalBench,
  otlp,
  table,
};

/** Formats that can be imported, in the order of their names; the first that recognises a file reads it. */
export const IMPORT_FORMATS: readonly Format[] = FORMAT_NAMES.map((name) => FORMATS[name]);
