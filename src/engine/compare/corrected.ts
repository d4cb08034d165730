import { compileDifferenceMoments } from "../../compile/agreement/label-moments.ts";
import { BOOLEAN } from "../../model/score-kind.ts";
import { agreementSide } from "../../plan/agreement-plan.ts";
import type { ScoreSum } from "../../plan/results.ts";
import { meaningless } from "../../request/meaningless.ts";
import { correctedDifference, type CorrectedDifference } from "../../respond/compare/corrected.ts";
import type { ComparisonInput } from "../../respond/compare/comparison.ts";
import { dimensionName, kindsAt } from "./dimensions.ts";
import type { ComparisonContext } from "./warnings.ts";

/** The inputs with their differences corrected by labels; the same where none are asked for. */
export async function correctInputs(
  { session, plan, catalog, comparing, dimensions }: ComparisonContext,
  sums: readonly ScoreSum[],
  inputs: readonly ComparisonInput[],
): Promise<readonly ComparisonInput[]> {
  const { correctedBy, margin, baseline } = comparing;
  if (correctedBy === null) return inputs;
  const human = agreementSide(correctedBy.loc, correctedBy.path, catalog.scorePaths);
  const kinds = kindsAt(human.pathKey, sums);
  if (kinds.size === 0)
    throw meaningless(correctedBy.loc, `${JSON.stringify(correctedBy.name)} ${NO_NUMBERS}`);
  const keyOf = (id: string) => catalog.evaluations.get(id)?.key ?? 0;
  const isBoolean = (id: string) => (kinds.get(keyOf(id)) ?? BOOLEAN) === BOOLEAN;
  const corrected = new Map<string, (key: number) => CorrectedDifference>();
  for (const { path } of dimensions) {
    const judge = { pathKey: path.key, path: path.path, exponents: path.exponents };
    const found = await session.all(compileDifferenceMoments({ plan, a: human, b: judge, scale: "number" }));
    const byKey = new Map(found.map((one) => [one.moments.evaluationKey, one]));
    corrected.set(dimensionName(path.path), (key) =>
      correctedDifference(byKey.get(key) ?? null, correctedBy.name, margin),
    );
  }
  const correctedAt = ({ path, candidate }: ComparisonInput) => {
    const found = corrected.get(dimensionName(path))?.(keyOf(candidate));
    return found === undefined ? {} : { corrected: found };
  };
  return inputs.map((input) => ({
    ...input,
    binary: isBoolean(baseline) && isBoolean(input.candidate),
    ...correctedAt(input),
  }));
}

const NO_NUMBERS = "has no number and no true or false on these evaluations and rows, so it corrects nothing";
