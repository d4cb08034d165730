import { z } from "zod";

const amount = z.number().min(0);

/** Schema of a price list. */
export const priceList = z.record(z.string(), z.strictObject({ input: amount, output: amount }));

/** What a model costs: money per million tokens, in any currency, the same throughout a list. */
export interface Price {
  /** Price of a million input tokens. */
  readonly input: number;
  /** Price of a million output tokens. */
  readonly output: number;
}

/** Prices by model, under the names that calls have in `summary.usage`. */
export interface PriceList {
  readonly [model: string]: Price;
}
