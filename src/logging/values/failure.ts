/** What is kept of an error. */
export interface Failure {
  /** `<name>: <message>`. */
  readonly exception: string;
  readonly stack: string | null;
}

const MAX_STACK_BYTES = 16 * 1024;

/** Reads whatever was thrown. The text is never empty, since an empty exception is none. */
export function failureOf(error: unknown): Failure {
  try {
    return readFailure(error);
  } catch {
    // Its members cannot be read: a getter that throws, a revoked proxy.
    return { exception: "Error", stack: null };
  }
}

function readFailure(error: unknown): Failure {
  if (!isErrorLike(error)) return { exception: storable(textOf(error)) || "Error", stack: null };
  const { name, message, stack } = error;
  const exception = storable(message === "" ? name : `${name}: ${message}`) || "Error";
  return { exception, stack: typeof stack === "string" ? cutTo(storable(stack), MAX_STACK_BYTES) : null };
}

/** Also errors of another realm, such as those of `vm` and of test runners. */
function isErrorLike(
  error: unknown,
): error is { readonly name: string; readonly message: string; readonly stack?: unknown } {
  return (
    typeof error === "object" &&
    error !== null &&
    "name" in error &&
    "message" in error &&
    typeof error.name === "string" &&
    typeof error.message === "string"
  );
}

function textOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return String(error);
  try {
    // Undefined where `toJSON` gives nothing, whatever its type says.
    const text: unknown = JSON.stringify(error);
    if (typeof text === "string") return text;
  } catch {
    // A cycle, or a `toJSON` that throws.
  }
  return Object.prototype.toString.call(error);
}

/** A text member of a call cannot hold U+0000. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\uFFFD");
}

function cutTo(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  return Buffer.from(text)
    .subarray(0, bytes)
    .toString("utf8")
    .replace(/\uFFFD+$/, "");
}
