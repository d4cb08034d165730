import { promisify } from "node:util";
import { constants, deflateRaw } from "node:zlib";

const deflated = promisify<Uint8Array, object, Buffer>(deflateRaw);

/** How far back a compressed text refers. */
const WINDOW = 2 ** 15;

/** A text that is compressed piece by piece, each as far as it fits, and is base64 in the end. */
export class PackedText {
  readonly #most: number;
  readonly #pieces: Buffer[] = [];
  #length = 0;
  #before: Uint8Array = Buffer.alloc(0);

  /** `most`: characters that the whole may have. */
  constructor(most: number) {
    this.#most = 3 * Math.floor(most / 4);
  }

  /**
   * Adds pieces, all or none where they would be more than `most` bytes together with what is there; tells whether they
   * are added.
   */
  async add(texts: Iterable<string>, most = this.#most): Promise<boolean> {
    const [pieces, length, before] = [this.#pieces.length, this.#length, this.#before];
    for (const text of joined(texts)) {
      await this.#write(text, constants.Z_SYNC_FLUSH);
      if (this.#length <= most) continue;
      this.#pieces.length = pieces;
      [this.#length, this.#before] = [length, before];
      return false;
    }
    return true;
  }

  /** Adds as many of these from the start as fit; tells how many. */
  async addMost(texts: readonly string[]): Promise<number> {
    if (await this.add(texts)) return texts.length;
    const half = Math.floor(texts.length / 2);
    const added = half === 0 ? 0 : await this.addMost(texts.slice(0, half));
    return added < half || texts.length === 1 ? added : half + (await this.addMost(texts.slice(half)));
  }

  /** The whole, with a last piece behind it. */
  async end(last: string): Promise<string> {
    await this.#write(last, constants.Z_FINISH);
    return Buffer.concat(this.#pieces).toString("base64");
  }

  async #write(text: string, finishFlush: number): Promise<void> {
    const bytes = Buffer.from(text);
    const dictionary = this.#before.length === 0 ? {} : { dictionary: this.#before };
    const piece = await deflated(bytes, { finishFlush, ...dictionary });
    this.#pieces.push(piece);
    this.#length += piece.length;
    this.#before = Buffer.concat([this.#before, bytes.subarray(-WINDOW)]).subarray(-WINDOW);
  }
}

/** Characters that are compressed at once. */
const PIECE = 2 ** 18;

/** The same texts, short ones together. */
function* joined(texts: Iterable<string>): Generator<string> {
  let parts: string[] = [];
  let length = 0;
  for (const text of texts) {
    parts.push(text);
    length += text.length;
    if (length < PIECE) continue;
    yield parts.join("");
    [parts, length] = [[], 0];
  }
  if (length > 0) yield parts.join("");
}
