import { SourceFault } from "./fault.ts";

/** A larger part of a document is not kept. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Collects the text of one piece. */
export class JsonSink {
  readonly place: string;
  hasNoNumbers = false;
  #parts: Uint8Array[] = [];
  #length = 0;

  constructor(place: string) {
    this.place = place;
  }

  add(part: Uint8Array): void {
    if (part.length === 0) return;
    this.#length += part.length;
    if (this.#length > MAX_BYTES)
      throw new SourceFault("invalid", this.place || null, `is longer than ${MAX_BYTES / 1024 ** 2} MiB`);
    this.#parts.push(part);
  }

  text(): Buffer {
    return Buffer.concat(this.#parts, this.#length);
  }
}
