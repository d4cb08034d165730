import { compileSideKinds } from "../../compile/agreement/agreement.ts";
import { compileGivenRatings, compileRatings, compileTrialNames } from "../../compile/agreement/ratings.ts";
import type { Key } from "../../model/digest.ts";
import { grouped } from "../../model/grouped.ts";
import { BOOLEAN, NUMBER, TEXT } from "../../model/score-kind.ts";
import { agreementSide, valueType, type PlannedSide, type Scale } from "../../plan/agreement-plan.ts";
import type { Plan } from "../../plan/plan.ts";
import type { QueryCatalog } from "../../plan/query-catalog.ts";
import type { FeedbackLeaf } from "../../plan/virtual-leaves.ts";
import { meaningless } from "../../request/meaningless.ts";
import type { NamedPlace } from "../../request/named-places.ts";
import { describeRaters, type RatersAnswer, type RaterScale } from "../../respond/agreement/raters.ts";
import type { Rating } from "../../stats/agreement/raters.ts";
import type { Session } from "../../store/session.ts";

/** Measures how far raters agree: dimensions, or the people behind one of feedback. */
export async function measureRaters(
  session: Session,
  { plan, catalog }: { readonly plan: Plan; readonly catalog: QueryCatalog },
  named: readonly NamedPlace[],
): Promise<RatersAnswer["raters"]> {
  const sides = named.map(({ path, loc }) => agreementSide(loc, path, catalog.scorePaths));
  const leaf = plan.virtualLeaves.find(({ key }) => key === sides[0]?.pathKey);
  const { ratings, scale } =
    sides.length === 1 && leaf?.kind === "feedback"
      ? await readPeople(session, plan, leaf)
      : await readDimensions(session, plan, named, sides);
  if (ratings.length > MOST_RATINGS)
    throw meaningless(["raters"], `there are more than ${MOST_RATINGS} ratings; filters take fewer rows`);
  const byTrial = grouped(ratings, ({ trial }) => trial);
  const trials = (await session.all(compileTrialNames(plan))).flatMap(({ trial, digest, id }) => {
    const own = byTrial.get(trial);
    return own === undefined ? [] : [{ digest, id, ratings: own.toSorted((a, b) => a.rater - b.rater) }];
  });
  await session.turns.take();
  return describeRaters(trials, scale);
}

const MOST_RATINGS = 1_000_000;

interface Ratings {
  readonly ratings: readonly (Rating & { readonly trial: Key })[];
  readonly scale: RaterScale;
}

async function readPeople(session: Session, plan: Plan, leaf: FeedbackLeaf): Promise<Ratings> {
  const given = await session.all(compileGivenRatings(plan, leaf, MOST_RATINGS + 1));
  const nameOf = (one: (typeof given)[number]) => one.creator ?? one.user;
  const givers = new Map(given.map((one) => [JSON.stringify([one.user, one.creator]), one]));
  const named = new Map([...grouped(givers.values(), nameOf)].map(([name, same]) => [name, same.length]));
  const places = new Map(
    [...givers]
      .map(([key, one]) => ({
        key,
        name: named.get(nameOf(one)) === 1 ? nameOf(one) : `${nameOf(one)} (${one.user})`,
      }))
      .toSorted((a, b) => Number(a.name > b.name) - Number(a.name < b.name))
      .map(({ key, name }, rater) => [key, { name, rater }]),
  );
  const isBoolean = given.every((one) => one.isBoolean);
  return {
    ratings: given.map(({ trial, user, creator, value }) => {
      return { trial, value, rater: places.get(JSON.stringify([user, creator]))?.rater ?? 0 };
    }),
    scale: scaleOf(
      [...places.values()].map(({ name }) => name),
      isBoolean ? "boolean" : "number",
      [],
    ),
  };
}

async function readDimensions(
  session: Session,
  plan: Plan,
  named: readonly NamedPlace[],
  sides: readonly PlannedSide[],
): Promise<Ratings> {
  const types: Scale[] = [];
  for (const [i, side] of sides.entries()) types.push(await readScale(session, plan, side, named[i]));
  const isText = types[0] === "text";
  const other = types.findIndex((type) => (type === "text") !== isText);
  if (other !== -1)
    throw meaningless(
      named[isText ? 0 : other]?.loc ?? ["raters"],
      "has texts only, which cannot agree with numbers or true and false",
    );
  const found = await session.all(compileRatings(plan, sides, isText, MOST_RATINGS + 1));
  const texts = isText ? [...new Set(found.map(({ value }) => String(value)))].toSorted() : [];
  const places = new Map(texts.map((text, i) => [text, i]));
  const scale = types.every((type) => type === "boolean") ? "boolean" : isText ? "text" : "number";
  return {
    ratings: found.map(({ trial, rater, value }) => {
      return { trial, rater, value: isText ? (places.get(String(value)) ?? 0) : Number(value) };
    }),
    scale: scaleOf(
      named.map(({ name }) => name),
      scale,
      texts,
    ),
  };
}

async function readScale(
  session: Session,
  plan: Plan,
  side: PlannedSide,
  named: NamedPlace | undefined,
): Promise<Scale> {
  const kinds = new Set((await session.all(compileSideKinds(plan, side))).map(({ kind }) => kind));
  const type = valueType({ number: kinds.has(NUMBER), boolean: kinds.has(BOOLEAN), text: kinds.has(TEXT) });
  if (type !== null) return type;
  throw meaningless(named?.loc ?? ["raters"], "has no value on these evaluations and rows");
}

function scaleOf(raters: readonly string[], scale: Scale, texts: readonly string[]): RaterScale {
  return {
    raters,
    isText: scale === "text",
    valueOf: (value) => (scale === "boolean" ? value === 1 : scale === "text" ? (texts[value] ?? "") : value),
  };
}
