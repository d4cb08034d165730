import { z } from "zod";
import { compareRequestWire } from "../../../request/compare-request.ts";
import { evalResultsRequest } from "../../../request/wire.ts";

const { candidates: _candidates, baseline, ...compared } = compareRequestWire.shape;

/** What a page is asked about, for a description; the view checks it. */
export const questionWire = {
  ...compared,
  evaluations: z.array(z.string()).nullish().describe("Default: all of the project."),
  baseline: baseline.nullish(),
  score: z
    .string()
    .nullish()
    .describe("The score that the page begins with, and that its first rows are ordered by."),
  pass_k: evalResultsRequest.shape.pass_k,
};
