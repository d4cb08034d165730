/**
 * A name as it stands, of any script, with blanks and punctuation. Half a surrogate pair and a leading U+FEFF
 * cannot be stored as they were sent, so that two names would become one.
 */
const NAME = String.raw`(?!\uFEFF)[^/\p{Cc}\p{Cs}]+`;

/** The name of an entity or of a project within it. */
export const PROJECT_NAME = new RegExp(`^${NAME}$`, "u");
export const PROJECT_NAME_RULE = "must be a name without slash or control characters";

/** `ENTITY/PROJECT`. */
export const PROJECT_ID = new RegExp(`^${NAME}/${NAME}$`, "u");
export const PROJECT_ID_RULE = "must be ENTITY/PROJECT, without control characters";

/**
 * The projects that a key may use: `ENTITY/PROJECT`, `ENTITY/*` or `*`. No entity can be named `*`, since that means
 * all.
 */
export const PROJECT_PATTERN = new RegExp(String.raw`^(\*|(?!\*/)${NAME}/${NAME})$`, "u");
export const PROJECT_PATTERN_RULE = "must be ENTITY/PROJECT, ENTITY/* or *, without control characters";
