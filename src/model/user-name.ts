import { EvalcubeError } from "../errors.ts";

/** User names are sent in Basic credentials, where the first colon ends them. */
export const USER_PATTERN = /^[^:\p{Cc}]{1,128}$/u;
export const USER_RULE = "must be 1 to 128 characters without colon";

/** Names who uses a file, for the records that name nobody. */
export const USER_VARIABLE = "EVALCUBE_USER";

/** The user of this name; undefined for nobody. Throws `invalid_option` on a name that no key could have. */
export function fileUser(name: string | null | undefined): string | undefined {
  if (name === null || name === undefined || name === "") return undefined;
  if (USER_PATTERN.test(name)) return name;
  throw new EvalcubeError("invalid_option", `${USER_VARIABLE} ${USER_RULE}`);
}
