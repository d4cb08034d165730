import { column, query, select, type Query } from "../../store/query.ts";
import { constant, EMPTY, join, sql, text, type Sql } from "../../store/sql.ts";
import type { FeedbackLeaf } from "../../plan/virtual-leaves.ts";
import {
  exactSum,
  jsonAt,
  jsonColumns,
  lastBy,
  memberNamed,
  memberNames,
  nothing,
  onlyMember,
  small,
  unnested,
} from "../relations/spelled.ts";

/**
 * The value of a feedback record, as JSON: the number or boolean at `value` of its payload (`output` for svc.runnable
 * types), or, where the payload has no `value`, its only member; else null.
 */
const VALUE = jsonAt(sql`content`, "/payload/value");
const SAID = sql`CASE WHEN starts_with(feedback_type, 'svc.runnable.') THEN ${jsonAt(sql`content`, "/payload/output")}
  WHEN ${VALUE} IS NOT NULL THEN ${VALUE}
  ELSE ${onlyMember(sql`content`, "payload")} END`;

const NUMERIC = sql`('UBIGINT', 'BIGINT', 'HUGEINT', 'UHUGEINT', 'DOUBLE')`;

/** (…, creator, call_id): the feedback of a project on calls for which a condition holds. */
function onCalls(projectId: string, condition: Sql): Sql {
  return sql`(SELECT *, json_text(${jsonAt(sql`content`, "/creator")}) AS creator,
        regexp_extract(svc_ref, ':///[^/]+/[^/]+/call/([^/]+)$', 1) AS call_id
      FROM feedback WHERE project_id = ${text(projectId)} AND ${condition})`;
}

/** What payloads say, as JSON, and who says it: a user under a name. */
function saidByPayloads(projectId: string): Sql {
  return sql`SELECT feedback_type, call_id, (svc_user_id, creator, ${nothing("VARCHAR")}) AS giver, svc_user_id AS user_id, creator, created_at, id,
      ${SAID} AS said FROM ${onCalls(projectId, sql`true`)}`;
}

/** What stands in `scorer_ratings` of a record, of `<type>:<name>`: also several scorers of a user say it each. */
function saidByRatings(projectId: string): Sql {
  const rated = onCalls(projectId, sql`contains(content, '"scorer_ratings"')`);
  const scorer = sql`regexp_extract(json_text(${jsonAt(sql`content`, "/runnable_ref")}),
      ':///[^/]+/[^/]+/(?:object|op)/([^/:]+):', 1)`;
  const ratings = sql`ratings`;
  return sql`SELECT concat(feedback_type, ':', name) AS feedback_type, call_id, giver, svc_user_id AS user_id,
      CASE WHEN scorer <> '' THEN scorer ELSE creator END AS creator, created_at, id, said
    FROM (SELECT *, ${memberNamed(ratings, sql`name`)} AS said
      FROM (SELECT *, ${unnested(memberNames([ratings]))} AS name
        FROM (SELECT *, (svc_user_id, creator, ${scorer}) AS giver, ${scorer} AS scorer,
            ${jsonColumns((x) => sql`${jsonAt(sql`content`, "/weave/scorer_ratings")} AS ratings${x}`)} FROM ${rated})))
    WHERE json_type(said) IN ${NUMERIC}`;
}

/** (feedback_type, call_id, giver, created_at, id, kind, number): numbers and booleans that feedback on calls says. */
function sayings(projectId: string): Sql {
  return sql`SELECT feedback_type, call_id, giver, user_id, creator, created_at, id,
      CASE WHEN json_type(said) = 'BOOLEAN' THEN 1 ELSE 0 END AS kind, json_number(said) AS number
    FROM (${saidByPayloads(projectId)} UNION ALL ${saidByRatings(projectId)})
    WHERE call_id <> '' AND (json_type(said) = 'BOOLEAN' OR json_type(said) IN ${NUMERIC}) AND json_number(said) IS NOT NULL`;
}

/** The types of feedback with a number or boolean on a call of the project, in order, at most `limit` of them. */
export function compileFeedbackTypes(projectId: string, limit: number): Query<{ readonly type: string }> {
  const types = select(
    { type: column.text(sql`feedback_type`) },
    sql` FROM (${sayings(projectId)}) GROUP BY feedback_type ORDER BY feedback_type LIMIT ${constant(limit)}`,
  );
  return query("feedback types", types);
}

/** What the records of feedback dimensions are made of. */
interface FeedbackScope {
  readonly projectId: string;
  readonly leaves: readonly FeedbackLeaf[];
  readonly includeChildren: boolean;
  /** (id, predict_call_id, evaluation_key, row_key, trial_key). */
  readonly trials: Sql;
}

/** The records of feedback dimensions, in the columns of `scores`. */
export function feedbackRecords(scope: FeedbackScope): Sql {
  const ways = [...new Set(scope.leaves.map(({ by }) => by))];
  const parts = ways.map((by) => {
    const { kind, number } = REDUCED[by];
    return sql`SELECT path_key, evaluation_key, row_key, trial_key, ${kind} AS kind, ${number} AS number
      FROM (${sayingsOnTrials({ ...scope, leaves: scope.leaves.filter((leaf) => leaf.by === by) })})
      GROUP BY path_key, evaluation_key, row_key, trial_key`;
  });
  return sql`SELECT path_key, evaluation_key, row_key, trial_key, ${small(sql`kind`)} AS kind, false AS late,
      number, ${nothing("VARCHAR")} AS text
    FROM (${join(parts, sql` UNION ALL `)})
    WHERE number IS NOT NULL`;
}

/** (row_key, trial_key): each trial on which as many people say true as say false. */
export function tiedTrials(scope: FeedbackScope): Sql {
  return sql`SELECT row_key, trial_key FROM (${sayingsOnTrials(scope)}) GROUP BY path_key, row_key, trial_key
    HAVING min(kind) = 1 AND 2 * sum(number) = count(*)`;
}

const MEAN = sql`${exactSum(sql`number`)} / count(*)`;

/** All that several people say becomes one value; if all are booleans, their majority is one. */
const REDUCED: { readonly [By in FeedbackLeaf["by"]]: { readonly kind: Sql; readonly number: Sql } } = {
  majority: {
    kind: sql`min(kind)`,
    number: sql`finite(CASE WHEN min(kind) = 0
        THEN ${MEAN}
        WHEN 2 * sum(number) <> count(*) THEN CAST(2 * sum(number) > count(*) AS DOUBLE) END)`,
  },
  mean: { kind: sql`0`, number: sql`finite(${MEAN})` },
  latest: {
    kind: lastBy(sql`kind`, sql`created_at, id`),
    number: lastBy(sql`number`, sql`created_at, id`),
  },
};

/** (trial_key, row_key, kind, number, user_id, creator): what each person says on the trials, in one dimension. */
export function givenFeedback(scope: FeedbackScope): Sql {
  return sql`SELECT trial_key, row_key, kind, number, user_id, creator FROM (${sayingsOnTrials(scope, sql`, f.user_id, f.creator`)})`;
}

/**
 * (path_key, evaluation_key, row_key, trial_key, kind, number, created_at, id): the latest feedback of each giver on
 * each trial. Feedback belongs to a trial when it refers to its predict-and-score call or, where children are included,
 * to its predict call.
 */
function sayingsOnTrials(
  { projectId, leaves, includeChildren, trials }: FeedbackScope,
  of: Sql = EMPTY,
): Sql {
  const keys = join(leaves.map(({ key, feedbackType }) => sql`(${constant(key)}, ${text(feedbackType)})`));
  const predictions = includeChildren
    ? sql` UNION ALL SELECT predict_call_id, evaluation_key, row_key, trial_key FROM (${trials})
        WHERE predict_call_id IS NOT NULL AND predict_call_id <> id`
    : sql``;
  return sql`SELECT k.path_key, c.evaluation_key, c.row_key, c.trial_key, f.kind, f.number, f.created_at, f.id${of}
      FROM (${sayings(projectId)}) AS f
        JOIN (VALUES ${keys}) AS k(path_key, feedback_type) ON k.feedback_type = f.feedback_type
        JOIN (SELECT id AS call_id, evaluation_key, row_key, trial_key FROM (${trials})${predictions}) AS c
          ON c.call_id = f.call_id
        QUALIFY row_number() OVER (PARTITION BY k.path_key, c.trial_key, f.giver
          ORDER BY f.created_at DESC, f.id DESC) = 1`;
}
