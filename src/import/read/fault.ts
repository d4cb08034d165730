import type { ImportFault } from "../../errors.ts";

/** What is wrong with a source and where in it; whoever knows the name of the source makes an `ImportError` of it. */
export class SourceFault extends Error {
  readonly code: ImportFault;
  readonly place: string | null;

  constructor(code: ImportFault, place: string | null, reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = "SourceFault";
    this.code = code;
    this.place = place;
  }
}

/** The fault with the place of the part that it lies in, where it does not have it; any other error as it is. */
export function withPlace(part: string, error: unknown): unknown {
  if (!(error instanceof SourceFault) || error.place?.startsWith(part) === true) return error;
  const place = error.place === null ? part : `${part}, ${error.place}`;
  return new SourceFault(error.code, place, error.message, { cause: error.cause });
}
