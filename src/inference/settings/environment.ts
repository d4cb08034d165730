import { EvalcubeError } from "../../errors.ts";

/** Secrets by the names of their variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The secret in a variable that the inference file names; throws when it is not set. `of` says whose it is. */
export function readVariable(
  environment: Environment,
  name: string | undefined,
  of: string,
): string | undefined {
  if (name === undefined) return undefined;
  const value = environment[name];
  if (value !== undefined && value !== "") return value;
  throw new EvalcubeError("missing_variable", `The environment variable ${name} ${of} is not set.`);
}
