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

/** The fault of a source without a trial; `reason` says what it holds, as the end of a sentence. */
export function noSamples(reason: string): SourceFault {
  return new SourceFault("no_samples", null, reason);
}

/** What `read` gives; null where it throws a fault, of which `refuse` hears. */
export function orRefused<T>(read: () => T, place: string, refuse: (fault: SourceFault) => void): T | null {
  try {
    return read();
  } catch (error) {
    const fault = withPlace(place, error);
    if (!(fault instanceof SourceFault)) throw fault;
    refuse(fault);
    return null;
  }
}

/** The fault with the place of the part that it lies in, where it does not have it; any other error as it is. */
export function withPlace(part: string, error: unknown): unknown {
  if (!(error instanceof SourceFault) || error.place?.startsWith(part) === true) return error;
  const place = error.place === null ? part : `${part}, ${error.place}`;
  return new SourceFault(error.code, place, error.message, { cause: error.cause });
}
