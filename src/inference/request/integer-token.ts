/** A number with more digits exceeds every bound used here, so `1e999999999` is never expanded. */
const MAX_DIGITS = 64;

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * The exact integer that a JSON number token denotes: `1.0` and `1e2` are integers, `1.5` is `"fraction"`, and a
 * token that is not a number or has too many digits is `"other"`.
 */
export function readIntegerToken(token: string): bigint | "fraction" | "other" {
  const match = NUMBER.exec(token);
  if (match === null) return "other";
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  const digits = (whole + fraction).replace(/^0+/, "");
  if (digits === "") return 0n;
  const significant = digits.replace(/0+$/, "");
  const zeros = Number(exponent) - fraction.length + (digits.length - significant.length);
  if (zeros < 0) return "fraction";
  if (significant.length + zeros > MAX_DIGITS) return "other";
  return BigInt(sign + significant + "0".repeat(zeros));
}

/** The reason why a token is not an integer within the bounds; `undefined` when it is one or is `null`. */
export function integerFault(token: string, min: bigint, max: bigint): string | undefined {
  if (token === "null") return undefined;
  const value = readIntegerToken(token);
  if (value === "fraction" || (value === "other" && !NUMBER.test(token))) return "must be an integer or null";
  if (value === "other" || value < min || value > max) return `must be between ${min} and ${max}`;
  return undefined;
}
