import { rareWord } from "../generate/text.ts";

/** A question as a statement over the views, and over typed Parquet files. Both order their records. */
export interface SqlQuestion {
  readonly title: string;
  readonly views: string;
  /** Over `calls`, `trials` and `dataset`, which stand for the files. */
  readonly parquet: string;
}

export const questions: readonly SqlQuestion[] = [
  {
    title: "calls by op name",
    views: "select op_name, count(*)::int as n from calls group by all order by all",
    parquet: "select op_name, count(*)::int as n from calls group by all order by all",
  },
  {
    title: "words in model outputs",
    views: `select evaluation_call_id as run, count(*)::int as n from results
      where model_output ->> 'answer' like '%${rareWord}%' group by all order by all`,
    parquet: `select run, count(*)::int as n from trials where answer like '%${rareWord}%' group by all order by all`,
  },
  {
    title: "mean of one score where another passes",
    views: `select avg("scores.judge.score") as mean from results where "scores.correct"`,
    parquet: "select avg(judge_score) as mean from trials where correct",
  },
  {
    title: "pass rate by an input and month",
    views: `select row_value ->> 'topic' as topic, strftime(started_at, '%Y-%m') as month,
      avg("scores.correct"::int) as rate from results group by all order by all`,
    parquet: `select topic, strftime(started_at, '%Y-%m') as month, avg(correct::int) as rate
      from trials join dataset using (task) group by all order by all`,
  },
  {
    title: "pass rate by run, over `scores`",
    views: `select evaluation_call_id as run, avg(boolean_value::int) as rate from scores
      where scorer_key = 'correct' group by all order by all`,
    parquet: "select run, avg(correct::int) as rate from trials group by all order by all",
  },
  {
    title: "pass rate by run",
    views: `select evaluation_call_id as run, avg("scores.correct"::int) as rate from results group by all order by all`,
    parquet: "select run, avg(correct::int) as rate from trials group by all order by all",
  },
];
