import { EvalcubeError } from "../../errors.ts";

/** Secrets by the names of their environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the secret in a variable that the inference file names; undefined where it names none. Throws when the
 * variable is not set; `of` tells the message whose secret it is.
 */
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
