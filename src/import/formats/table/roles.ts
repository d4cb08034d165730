import type { TableMapping } from "../../translate/table-mapping.ts";

/** What a member of a mapping says of a table: of its columns, or of all its records. */
interface Role {
  readonly flag: string;
  /** What the flag takes, as help shows it. */
  readonly argument: string;
  readonly what: string;
  /** Whether it often has several columns: a mapping that is printed has a list of them. */
  readonly isList?: true;
  /** Whether the flag may be given several times, though it names no columns. */
  readonly repeats?: true;
  /** The only values of the flag. */
  readonly choices?: readonly string[];
  /**
   * Names of columns that it is guessed by, in order: words, each of `{a,b}` of a word; `*` stands for any characters.
   * A name that two roles have goes to the first role that is open.
   */
  readonly names?: string;
  /** Those of them that do not count where a record has nothing there, or each has its own and another id repeats. */
  readonly weakNames?: string;
  /** Further names, of columns that have another value in each record of a run. */
  readonly uniqueNames?: string;
  /** Further names, of columns that have the role where records of one row differ in them. */
  readonly differing?: string;
  /** The same, of columns that are settings of a run. */
  readonly settings?: string;
  /** Further names, of columns that have the role where the evaluation is named. */
  readonly runs?: string;
  /** What names of its columns begin with, and words of which such a name has one. */
  readonly begins?: string;
  readonly words?: string;
  /** Names of columns that are never scores. */
  readonly never?: string;
  /** Names of columns that are scores only where they end in a word of scores, or say what is: `is_correct_answer`. */
  readonly rarely?: string;
  /** What its numbers are multiplied with and divided by to be seconds or US dollars, by the last words of names. */
  readonly units?: readonly (readonly [words: string, times: number, over: number])[];
  /** Last words of names that say another currency than US dollars. */
  readonly foreign?: string;
}

const NAME = "<name>";

/** All that guesses, flags, help and documentation know of the members of a mapping, by these. */
export const ROLES = {
  row: {
    flag: "--row-column",
    argument: NAME,
    what: "what identifies the row",
    isList: true,
    names:
      "row_id sample_id example_id question_id instance_id task_id item_id {dataset,experiment}_item_id " +
      "{dataset,reference}_example_id doc_id prompt_id test_id case_id qid query_id problem_id " +
      "uid id index scenario_id clause_id trace_id ticket_id record_id",
    weakNames: "scenario_id clause_id trace_id ticket_id record_id",
    uniqueNames: "task_name *_key",
    never: "id *_id *_idx *_index index idx line_number",
  },
  model: {
    flag: "--model-column",
    argument: NAME,
    what: "the model",
    names: "model model_name model_id system llm engine agent provider",
  },
  evaluation: {
    flag: "--evaluation-column",
    argument: NAME,
    what: "what tells apart runs of one model",
    names:
      "evaluation experiment experiment_name experiment_id dataset_run_name dataset_run_id run run_id variant",
    differing:
      "model *_model prompt prompt_id prompt_name prompt_version prompt_variant template strategy method approach system system_prompt agent " +
      "provider engine app app_version app_id version *_version variant condition arm config configuration source",
    settings:
      "k top_k top_n top_p min_p temperature threshold cutoff fold shots *_shots *_shot *_fewshot few_shots *max_tokens max_new_tokens " +
      "max_length num_beams beam_size chunk_size *_penalty",
    never: "*_threshold",
  },
  task: {
    flag: "--task-column",
    argument: NAME,
    what: "the task",
    names: "task benchmark dataset suite",
  },
  input: {
    flag: "--input-column",
    argument: NAME,
    what: "what was asked",
    isList: true,
    names:
      "input inputs question prompt query user_input problem instruction task_description goal messages input_*",
  },
  field: {
    flag: "--field-column",
    argument: NAME,
    what: "what else belongs to the row",
    isList: true,
    names:
      "context reference_context reference_contexts passage reference references choices options hint category categories topic subject " +
      "subset split difficulty level language lang domain dataset tags question_type answer_type",
  },
  output: {
    flag: "--output-column",
    argument: NAME,
    what: "the answer",
    isList: true,
    names:
      "pred prediction predicted model_answer model_output model_outputs output outputs response completion generated actual_output final_answer " +
      "{model,llm,ai,system,assistant,agent,bot,candidate,predicted,pred,generated}_" +
      "{answer,output,response,prediction,completion,text,reply,label,choice,option} answer",
    rarely: "*_answer *_option *_choice *_label *_class *_text *_response",
  },
  expected: {
    flag: "--expected-column",
    argument: NAME,
    what: "the expected answer",
    isList: true,
    names:
      "expected expectation expectations expected_output expected_outputs reference_outputs ground_truth reference references target gold label ideal answer_key " +
      "truth {expected,correct,gold,golden,reference,target,true,ideal,right}_" +
      "{answer,output,response,prediction,completion,text,reply,label,choice,option} answer",
    never: "expected_* expectation*",
  },
  trial: {
    flag: "--trial-column",
    argument: NAME,
    what: "what tells apart repeats of a row",
    names:
      "trial epoch repeat attempt sample_index seed iteration replicate rep repetition sample_idx sample run_index",
    runs: "run run_id experiment_id",
    never: "turn *_turn",
  },
  rater: {
    flag: "--rater-column",
    argument: NAME,
    what: "who gave the scores; its scores are members of one trial's",
    differing:
      "{rater,annotator,judge,grader,reviewer,labeler,labeller,evaluator,assessor}{,_id,_name,_model} source",
  },
  score: {
    flag: "--score-column",
    argument: NAME,
    what: "a score; also a pattern such as 'judge_*'",
    isList: true,
    words:
      "score correct pass passed success accuracy acc em exact_match f1 bleu rating grade reward faithfulness groundedness relevance " +
      "relevancy similarity precision recall coherence fluency correctness toxicity hit mrr ndcg win preference",
    begins: "rouge is_ judge",
    never:
      "*_count *_length count length total totals total_* *_total *_totals *_std *_stderr *_stderr_* num_* n_* max_score *_score_max",
  },
  error: {
    flag: "--error-column",
    argument: NAME,
    what: "why the trial failed",
    names: "error exception error_message",
  },
  started: {
    flag: "--started-column",
    argument: NAME,
    what: "when the trial began",
    names: "started_at timestamp created_at",
    never: "*_at date *_date timestamp *_timestamp",
  },
  latency: {
    flag: "--latency-column",
    argument: NAME,
    what: "seconds; milliseconds if the name ends in _ms",
    names: "latency* duration* elapsed* execution_time",
    never:
      "*_ms time *_time *_seconds *_secs *_sec seconds duration *_duration elapsed *_elapsed latency *_latency",
    rarely: "time_* duration_* elapsed_* latency_*",
    units: [
      ["ms msec msecs millis millisecond milliseconds", 1, 1000],
      ["us usec usecs micros microsecond microseconds", 1, 1e6],
      ["ns nsec nsecs nanos nanosecond nanoseconds", 1, 1e9],
      ["mins minute minutes", 60, 1],
      ["h hr hrs hour hours", 3600, 1],
    ],
  },
  tokens: {
    flag: "--tokens-column",
    argument: NAME,
    what: "tokens",
    names: "total_tokens tokens",
    never: "tokens *_tokens",
  },
  cost: {
    flag: "--cost-column",
    argument: NAME,
    what: "cost in US dollars",
    names: "cost* total_cost total_cost_usd",
    never: "price prices *_price cost *_cost *_usd",
    rarely: "price_* cost_*",
    units: [["cent cents", 1, 100]],
    foreign: "eur gbp chf jpy cny inr",
  },
  metadata: { flag: "--metadata-column", argument: NAME, what: "what is kept and means nothing more" },
  metric: {
    flag: "--metric-column",
    argument: NAME,
    what: "one record a score: the score's name",
    names: "metric scorer metric_name criterion",
  },
  value: {
    flag: "--value-column",
    argument: NAME,
    what: "one record a score: its value",
    names: "value score result",
  },
  modelColumns: {
    flag: "--model-columns",
    argument: "<names>",
    what: "columns of a table that are models, with commas between them",
    isList: true,
  },
  scoreName: { flag: "--score", argument: NAME, what: "the score in the cells of --model-columns" },
  match: {
    flag: "--match",
    argument: "<output=expected>",
    what: "columns whose equality is the score match, as pred=answer",
  },
  trueValue: {
    flag: "--true-value",
    argument: "<score=text>",
    what: "the text of a score that is true, as grade=CORRECT",
    repeats: true,
  },
  decimal: {
    flag: "--decimal",
    argument: "<sign>",
    what: "decimal sign of numbers such as 1,234",
    choices: ["comma", "point"],
  },
  records: {
    flag: "--records",
    argument: "<path>",
    what: "where the records are in a JSON object, as run.results",
  },
  sheet: {
    flag: "--sheet",
    argument: NAME,
    what: "a sheet of a workbook; all that are shown",
    repeats: true,
  },
  modelName: { flag: "--model", argument: NAME, what: "the model, where the source does not name it" },
  evaluationName: {
    flag: "--evaluation",
    argument: NAME,
    what: "tells this table apart from others of the same task and model",
  },
  taskName: { flag: "--task", argument: NAME, what: "the task, where a table does not name it" },
} as const satisfies { readonly [member in keyof TableMapping]-?: Role };

type Member = keyof TableMapping;

/** Members that name columns. */
export type ColumnRole = {
  [member in Member]: (typeof ROLES)[member]["flag"] extends `${string}-column` | "--model-columns"
    ? member
    : never;
}[Member];

/** The members of a mapping, in the order in which they are told. */
export const MEMBERS = Object.keys(ROLES) as readonly Member[];

export function isColumnRole(member: Member): member is ColumnRole {
  return /-columns?$/.test(ROLES[member].flag);
}

export const COLUMN_ROLES: readonly ColumnRole[] = MEMBERS.filter(isColumnRole);

export const roleOf = (member: Member): Role => ROLES[member];

/** The names that roles have in a list. */
export function namesOf(
  list:
    | "names"
    | "weakNames"
    | "uniqueNames"
    | "differing"
    | "settings"
    | "runs"
    | "begins"
    | "words"
    | "never"
    | "rarely",
  ...roles: readonly Member[]
): readonly string[] {
  return roles.flatMap((role) => (roleOf(role)[list] ?? "").split(" ").flatMap(alternatives));
}

function alternatives(word: string): readonly string[] {
  const [, begin = "", some, end = ""] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(word) ?? [];
  if (some === undefined) return word === "" ? [] : [word];
  return some.split(",").flatMap((one) => alternatives(`${begin}${one}${end}`));
}
