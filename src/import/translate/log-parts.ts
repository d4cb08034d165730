import type { StatedFigure } from "../check/agreement.ts";
import type { Directions } from "../../model/direction.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { StepItem } from "../../model/step-items/items.ts";
import type { ImportedEvaluation } from "./import-result.ts";
import type { TableMapping } from "./table-mapping.ts";

/** One run of one model over one task, as a log has it. What the log does not say is null or absent. */
export interface LogEvaluation {
  /**
   * The id of its root call; see `rootId`. Of a run without an identity of its own it stands for task, evaluation and
   * model.
   */
  readonly id: string;
  /** What tells the run apart where the log does not: its file, or the name that the caller gives it. */
  readonly knownBy?: "file" | "name";
  /** Empty where the log says none. */
  readonly task: string;
  readonly taskVersion?: Json | undefined;
  readonly model: string;
  /** Tells apart evaluations of one task and model: the prompt of promptfoo; else null. */
  readonly label?: string | null;
  /** Whether the display name ends in the label. */
  readonly showsLabel?: boolean;
  /** Microseconds since 1970; null where the log has no time. */
  readonly startedAt?: bigint | null;
  readonly endedAt?: bigint | null;
  /** Whether the log says that the run did not end; another ends with its last trial where no time is known. */
  readonly goesOn?: boolean;
  /** Why the run as a whole failed; its first line becomes the exception of the root call. */
  readonly error?: string | null;
  readonly logVersion?: Json;
  /** Version of the tool that wrote the log. */
  readonly toolVersion?: string | null;
  /** Which way its scores are good, as the log says. */
  readonly directions?: Directions;
  /** Names of the groups of tasks that it belongs to. */
  readonly groups?: readonly string[];
  /** What was left out or assumed of it. */
  readonly notes?: readonly string[];
  /** How the run was made, in the log's own words. */
  readonly spec: JsonObject;
}

/** A run by its name, with the start that it counts as having where its log has none. */
export type StartedEvaluation = LogEvaluation & { readonly name: string; readonly startedAt: bigint };

/** What the log knows of the model's work on a trial. What is null, or has no members, is not known. */
export interface LogPrediction {
  /** Duration of the model's work in seconds. */
  readonly seconds?: number | null;
  /** Members of `summary.usage.<model>` by model; `total_tokens` is what is counted, and added where it is missing. */
  readonly usage?: { readonly [model: string]: JsonObject };
  /** The final conversation. */
  readonly messages?: readonly Json[];
  readonly prompt?: string | null;
  readonly attributes?: JsonObject;
}

/** One answer to one row, as a log has it. What the log does not say is null or absent. */
export interface LogTrial {
  /** It begins with its first trial. */
  readonly evaluation: LogEvaluation;
  /** Where in the source, for messages. */
  readonly place: string;
  /**
   * What identifies the row and the trial in the log, as texts; parts of the id of the call. `trial` is absent where
   * `sample` says all.
   */
  readonly sample: string;
  readonly trial?: string | undefined;
  /** The same for `attributes.evalcube.sample`, in the log's own types. */
  readonly identity: JsonObject;
  /** What was asked, never what a run did to it: its hash is the row. */
  readonly stable: Json;
  /** What else the log knows of the row; members of the dataset row's value. */
  readonly row?: JsonObject;
  /** Whether all trials of one row of the log are known to agree in `row`. */
  readonly rowsAgree?: boolean;
  /**
   * Where another question makes another row: the column that has the id, and whether one log has two questions under
   * one id.
   */
  readonly splits?: { readonly by: string; readonly within: boolean } | undefined;
  readonly output: Json;
  /** Other members of the call's output, such as `stop_reason`. */
  readonly others?: JsonObject;
  /** In US dollars. */
  readonly cost?: number | null;
  readonly scores: { readonly [key: string]: Json };
  readonly details: { readonly [key: string]: Json };
  /** The text of an error; null where the trial did not fail. */
  readonly error?: string | null;
  /** Microseconds since 1970; null where the log has no time of the trial. */
  readonly startedAt?: bigint | null;
  readonly endedAt?: bigint | null;
  /** Its place among the trials of the run; orders them where there is no time. */
  readonly index: number;
  readonly prediction?: LogPrediction;
  /** What the agent did; tokens that the prediction does not tell are the sums of these, where all tell. */
  readonly steps?: readonly StepItem[];
  /** Calls below the predict call, with their ids; `parent` is null of those that stand directly below it. */
  readonly calls?: readonly { readonly parent: string | null; readonly members: JsonObject }[];
  /** Why the agent stopped, in the words of the source. */
  readonly stopReason?: string | null;
}

/** A score that lies apart from its trial in the log, with what identifies the trial; `startedAt` is its own. */
export interface LogScore extends Pick<
  LogTrial,
  "evaluation" | "place" | "sample" | "trial" | "startedAt" | "index"
> {
  readonly key: string;
  readonly value: Json;
  readonly inputs: JsonObject;
}

/** What a log holds, in the order in which it is read. */
export type LogItem =
  /** An evaluation that may have no trials. */
  | { readonly kind: "evaluation"; readonly evaluation: LogEvaluation }
  /** `isAgain`: the log has it a second time; it takes the place of the first. */
  | { readonly kind: "trial"; readonly trial: LogTrial; readonly isAgain?: boolean }
  | { readonly kind: "score"; readonly score: LogScore; readonly isAgain?: boolean }
  /** A record that is a call or a dataset row already. */
  | {
      readonly kind: "call" | "row";
      readonly record: JsonObject;
      /** The record as it was written. */
      readonly text: string;
      readonly place: string;
      /** The dataset row that the source has with each of its trials, of that and of the call of the trial. */
      readonly row?: JsonObject | null;
    }
  /** What calls of the source hold, where they are not made of its trials. */
  | { readonly kind: "overview"; readonly evaluation: ImportedEvaluation }
  /** The roles of a table's columns, as a sentence and as a mapping. Comes before anything else. */
  | { readonly kind: "mapping"; readonly text: string; readonly mapping: TableMapping }
  | { readonly kind: "note"; readonly text: string }
  /** The source is a part of something: a note, and a refusal where figures must agree. */
  | { readonly kind: "part"; readonly text: string }
  | { readonly kind: "figure"; readonly figure: StatedFigure; readonly tolerance?: number }
  | { readonly kind: "unchecked"; readonly what: string; readonly why: string };

/** A call or a dataset row, and where in the source it comes from. */
export interface LogRecord {
  readonly kind: "calls" | "rows";
  readonly record: JsonObject;
  /** The record as it was written, where it was not made here. */
  readonly text?: string;
  readonly place: string;
}
