import { afterAll, beforeAll, expect, it } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { PROJECT, root, trial } from "../support/records.ts";

/** What analysis asks, none of which strict limits may keep out. */
const statements: readonly string[] = [
  "select scorer_key, avg(numeric_value), median(numeric_value), quantile_cont(numeric_value,[0.1,0.5,0.9]), stddev(numeric_value), count(*) from scores group by 1 order by 2 desc",
  "select t.trial_id, string_agg(s.scorer_key || '=' || coalesce(s.numeric_value::varchar, s.boolean_value::varchar, s.text_value), ', ' order by s.scorer_key) from trials t join scores s using (trial_id) group by 1",
  "select row_digest, list(trial_id order by trial_id), count(*) from trials group by 1 having count(*) > 0",
  "with a as (select trial_id, avg(numeric_value) m from scores group by 1), b as (select *, ntile(4) over (order by m) q from a) select q, count(*), min(m), max(m) from b group by 1 order by 1",
  "select output ->> '$.scores.judge.tone' as tone, count(*) from trials group by 1",
  'select regexp_extract(output::varchar, \'"tone":"([a-z]+)"\', 1) as tone, count(*) from trials group by 1',
  "select lower(value->>'question') like '%what%' from rows",
  "select * from trials where output::varchar ilike '%calm%'",
  "select * from trials where output::varchar ilike '%c_lm%'",
  "select trial_id, split_part(trial_id, 't', 2)::int, substr(trial_id, 2), left(trial_id, 1), replace(trial_id, 't', 'trial-'), lpad(trial_id, 10, '0'), format('{:>10} {:.2f}', trial_id, 1.5), printf('%05d', 3), upper(trial_id), trim(trial_id), regexp_replace(trial_id, '[0-9]+', '#', 'g') from trials",
  "from (from scores pivot (avg(numeric_value) for scorer_key in ('acc','ok') group by trial_id))",
  "select s.trial_id, s.numeric_value - lag(s.numeric_value) over (partition by scorer_key order by trial_id), avg(numeric_value) over (order by trial_id rows between 3 preceding and current row) from scores s",
  "select round(numeric_value), count(*) from scores group by 1 order by 1",
  "select arg_max(trial_id, numeric_value), arg_max(trial_id, numeric_value, 5), max(numeric_value, 3) from scores",
  "select key, value from trials, json_each(output->'scores') where trial_id = 't1'",
  "select list_transform([1,2,3], x -> x * 2), [x * 2 for x in [1,2,3] if x > 1], list_filter(['a','b'], x -> x = 'a'), list_sum([1,2])",
  "select strftime(started_at, '%Y-%m-%d'), date_trunc('day', started_at), extract(hour from started_at), started_at + interval 1 day from trials limit 3",
  "with recursive tree as (select id, parent_id, 0 as depth from calls where parent_id is null union all select c.id, c.parent_id, depth + 1 from calls c join tree t on c.parent_id = t.id) select depth, count(*) from tree group by 1",
  "with recursive tree as (select id, id as path from calls where parent_id is null union all select c.id, left(t.path || '/' || c.id, 500) from calls c join tree t on c.parent_id = t.id) select path from tree limit 3",
  "select corr(a.numeric_value, b.boolean_value::int) from scores a join scores b using (trial_id) where a.scorer_key='acc' and b.scorer_key='ok'",
  "select * exclude (output), output->'scores' from trials limit 2",
  "select columns('.*_id') from trials limit 1",
  "select case when numeric_value > 0.5 then 'high' else 'low' end as c, count(*) from scores group by all",
  "select sum(case when boolean_value then 1 end) filter (scorer_key = 'ok'), bool_and(boolean_value), count(distinct trial_id) from scores",
  "select trial_id, rank() over (order by numeric_value desc) r from scores qualify r <= 3",
  "select median(numeric_value) over (partition by scorer_key) from scores",
  "select json_object('id', trial_id, 'out', output), to_json(t) from trials t limit 2",
  "select json_group_array(trial_id) from trials",
  "select md5(output::varchar), len(output::varchar), hash(output) from trials",
  "select concat_ws('-', trial_id, row_digest), array_to_string(['a','b'], ',') from trials",
  "select unnest(string_split('a,b', ',')), i from range(3) t(i)",
  "select a.scorer_key, b.scorer_key, count(*) from scores a, scores b where a.trial_id = b.trial_id group by cube(1, 2)",
  "select * from (select row_digest, list(numeric_value)[1:100] as v from trials join scores using (trial_id) group by 1) where len(v) > 1",
  "select count(*) from calls where record::varchar like '%tone%calm%' and not exists (select 1 from feedback f where f.call_ref = calls.id)",
  "select text_value, count(*) from scores where regexp_matches(text_value, '(calm|angry|polite)') group by 1",
  "select width, i from (select 1 as width), range(3) t(i) where i in (select n from (values (1),(2)) v(n))",
  "select approx_quantile(numeric_value, 0.5), mode(text_value) from scores",
  "select trial_id, list_sort(list(scorer_key)) from scores group by 1",
  "select trial_id, list(distinct scorer_key order by scorer_key) from scores group by 1",
  "select nullif(nullif(trial_id, 'a'), 'b') from trials",
  "select first(output order by trial_id) from trials group by evaluation_call_id",
  "select * from trials using sample 10 rows",
  "select * from trials tablesample 10%",
  "select trial_id, output from trials order by trial_id limit 5 offset 2",
  "select greatest(1,2), least(1,2), coalesce(null, 1), ifnull(null, 2), round(1.234, 2), abs(-1), 1 // 2, 5 % 3, 2 ** 3",
  "select array_agg(trial_id)[:3], string_agg(trial_id, ',')[1:20], list(struct_pack(a := trial_id, b := 1)) from trials",
  "select t.trial_id, x.n from trials t left join lateral (select count(*) n from scores s where s.trial_id = t.trial_id) x on true",
  `select ${Array.from({ length: 40 }, (_, i) => `output ->> '$.scores.s${i}' as s${i}`).join(", ")} from trials`,
  `select ${Array.from({ length: 200 }, (_, i) => `avg(numeric_value) filter (scorer_key = 's${i}') as s${i}`).join(", ")} from scores group by trial_id`,
  `select trial_id from trials where trial_id in (${Array.from({ length: 900 }, (_, i) => `'t${i}'`).join(", ")})`,
];

let engine: Engine;

function scores(i: number) {
  return { acc: i / 7, ok: i % 3 === 0, judge: { tone: "calm" } };
}

beforeAll(async () => {
  engine = await openEngine({ threads: 1 });
  const trials = Array.from({ length: 50 }, (_, i) => trial(`t${i}`, { question: `what ${i}` }, scores(i)));
  await engine.ingestCalls([root(), ...trials]);
});
afterAll(() => engine.close());

it.each(statements)("a statement of analysis is answered: %s", async (statement) => {
  const table = await engine.sql(PROJECT, statement, [], { limits: "strict" });
  expect(table.numCols).toBeGreaterThan(0);
});

it("a pattern may be a parameter, and texts put together", async () => {
  const found = await engine.sql(
    PROJECT,
    "select trial_id from trials where trial_id like '%' || $1 || '%'",
    ["t4"],
    { limits: "strict" },
  );
  expect(found.numRows).toBe(11);
});
