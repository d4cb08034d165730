import { expect, it, onTestFinished } from "vitest";
import { notLinux } from "../support/platform.ts";
import { scratchPath } from "../support/scratch.ts";
import { because } from "../support/skipped.ts";
import { watchEngine } from "../support/watched-engine.ts";

const TIME_LIMIT_SECONDS = 0.5;
/** Far beyond what refusing takes. */
const AMPLE_SECONDS = 30;
/** Of a machine that is busy with other tests. */
const PATIENCE_SECONDS = 20;
const MOST_GROWTH_MIB = 256 + 512;

const refused: readonly string[] = [
  "select len(repeat('x', 4000000000))",
  "select len(range(1000000000))",
  "select rpad('x', 2147483647, 'y')",
  "select format('{:>2000000000}', 'x')",
  "select printf('%2000000000d', 1)",
  "select levenshtein(a.record::varchar, b.record::varchar) from calls a, calls b",
  "select strftime(started_at, string_agg('%Y', '') over ()) from trials",
  "select list_transform(list(i), x -> x::varchar || 'y') from range(100000000) t(i)",
  "select len(s || i) from (select string_agg(record::varchar, '') s from calls), range(1000000) t(i)",
  "with recursive r(s) as (select 'x' union all select s || s from r) select max(len(s)) from r",
  "select replace(replace(output::varchar, '\"', output::varchar), '\"', output::varchar) from trials",
  "select count(*) from calls where rpad(id, 1000, 'a') ilike '%a%a%a%a%b'",
  `select 1 where 1 in (${Array.from({ length: 2_000 }, () => 1).join(",")})`,
  `with t0 as (select 1 as x), ${Array.from({ length: 22 }, (_, i) => `t${i + 1} as (select *, * from t${i})`).join(", ")} select * from t22`,
];

const ending: readonly string[] = [
  "select count(*) from scores a, scores b, scores c",
  "select * from calls a, calls b",
  "select quantile_cont(i, [0.1, 0.2, 0.3]) from range(1000000000) t(i)",
  "select mode(i) from range(1000000000) t(i)",
  "select list(i) from range(1000000000) t(i)",
  "select string_agg(a.record::varchar, '') from calls a, calls b",
  "with recursive r(i) as (select 1 union all select i + 1 from r) select max(i) from r",
];

it.skipIf(notLinux !== null)(
  `costly statements are refused with strict limits, or end by themselves in little memory, their owner's too${because(notLinux)}`,
  async () => {
    const engine = await watchEngine({
      file: scratchPath("watched.duckdb"),
      patienceSeconds: PATIENCE_SECONDS,
    });
    onTestFinished(() => engine.close());
    for (const statement of refused) {
      expect(await engine.ask(statement, AMPLE_SECONDS), statement).toMatchObject({
        outcome: "unsupported_request",
      });
    }
    for (const statement of ending) {
      for (const by of ["owner", undefined] as const) {
        const watched = await engine.ask(statement, TIME_LIMIT_SECONDS, by);
        expect(["time_limit", "memory_limit", "statement_failed"], statement).toContain(watched.outcome);
        expect(watched.growthMiB, statement).toBeLessThan(MOST_GROWTH_MIB);
      }
    }
    expect(await engine.ask("select count(*) from trials", AMPLE_SECONDS)).toMatchObject({
      outcome: "answered",
    });
  },
  240_000,
);
