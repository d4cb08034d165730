import { z } from "zod";
import { checkArgument } from "../model/arguments.ts";

const names = z.array(z.string()).optional();

const engineOptions = z.looseObject({
  path: z.string().optional(),
  readOnly: z.boolean().optional(),
  threads: z.number().optional(),
  memoryLimit: z.string().optional(),
  predictAndScoreOps: names,
  attributeNamespaces: names,
  keepAnswers: z.boolean().optional(),
});

/** Types alone: what values may be is said where they are used. */
export function checkEngineOptions(options: unknown): void {
  checkArgument(options, engineOptions);
}
