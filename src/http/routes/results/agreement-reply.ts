import { z } from "zod";
import type { RaterAgreement } from "../../../respond/agreement/raters.ts";
import type { Described } from "../../../respond/summary/described.ts";

const count = z.int();
const number = z.number().nullable();
const interval = z.tuple([z.number(), z.number()]).nullable();
const rate = z.object({ estimate: number, lower: number, n: count, needed: count.nullable() });
const side = z.object({
  scorer_key: z.string(),
  path: z.string().nullable(),
  value_type: z.enum(["continuous", "binary", "text"]),
});

const pairSchema = z.object({
  a: side,
  b: side,
  confidence: z.number(),
  n_both: count.describe("Trials with a value in both dimensions."),
  n_only_a: count,
  n_only_b: count,
  n_tied: count,
  row_count: count,
  raw_agreement: z.number(),
  raw_agreement_interval: interval,
  cohen_kappa: number,
  cohen_kappa_interval: interval,
  weighted_kappa: z.object({ linear: number, quadratic: number }).nullable(),
  krippendorff_alpha: number,
  confusion_matrix: z
    .object({
      categories: z.array(z.union([z.boolean(), z.number(), z.string()])),
      counts: z.array(z.array(count)),
    })
    .nullable(),
  judge: z.record(z.string(), z.unknown()).nullable().describe("Accuracy of b with a as the truth."),
  pearson: number,
  spearman: number,
  kendall_tau_b: number,
  corrected_means: z.array(z.record(z.string(), z.unknown())).nullable(),
  bootstrap: z.record(z.string(), z.unknown()).nullable(),
  certificate: z
    .object({ at_least: z.number(), certified: z.boolean(), sensitivity: rate, specificity: rate })
    .optional()
    .describe("Whether the judge is good enough; only with at_least."),
  warnings: z.array(z.string()),
});

const raters = z.object({
  unit_count: count.describe("Trials with two ratings or more."),
  rating_count: count,
  percent: number,
  alpha: z.object({ nominal: number, ordinal: number, interval: number }).describe("Krippendorff's."),
  gwet_ac1: number,
  pairs: z.array(
    z.object({
      a: z.string(),
      b: z.string(),
      n: count,
      percent: number,
      cohen_kappa: number,
      alpha_nominal: number,
      gwet_ac1: number,
    }),
  ),
  by_rater: z
    .array(z.object({ rater: z.string(), n: count, disagreement: number }))
    .describe("Who differs most, first."),
  most_dissent: z.array(
    z.object({
      row_digest: z.string(),
      predict_and_score_call_id: z.string(),
      ratings: z.record(z.string(), z.union([z.boolean(), z.number(), z.string()])),
    }),
  ),
} satisfies Described<RaterAgreement>);

export const agreementSchema = z
  .union([pairSchema, z.object({ raters, warnings: z.array(z.string()) })])
  .meta({ id: "AgreementAnswer" });
