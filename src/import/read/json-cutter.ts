import { SourceFault } from "./fault.ts";
import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  LETTER_I,
  LETTER_N,
  MEANT,
  MEANT_IN_SCALAR,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  StringEnd,
  mark,
} from "./json-bytes.ts";
import { BARE_WORDS, type JsonCut, type JsonPiece, JsonSink } from "./json-cut.ts";

/** A container whose members or elements are looked at one by one. */
interface Frame {
  readonly cut: JsonCut;
  readonly isList: boolean;
  /** Where what is kept of it goes. */
  readonly sink: JsonSink;
  /** Whether `sink` holds this container alone, so that it is a piece once the container ends. */
  readonly isPiece: boolean;
  readonly place: string;
  index: number;
  kept: number;
  next: "first" | "name" | "colon" | "value" | "end";
  name: string;
  memberCut: JsonCut | "skip" | null;
}

/** A list that is null is empty. */
const LETTER_N_OF_NULL = 0x6e;

/** A deeper value is refused; a call that holds it is a little deeper. */
const MAX_DEPTH = 980;

/**
 * Cuts a JSON document while its bytes arrive, and drops what is not wanted without parsing it. What is kept is checked
 * only by whoever parses it. Throws {@link SourceFault}.
 */
export class JsonCutter {
  readonly #frames: Frame[] = [];
  readonly #rootCut: JsonCut;
  readonly #root = new JsonSink("");
  #pieces: JsonPiece[] = [];
  #state: "start" | "frame" | "name" | "plain" | "end" = "start";
  /** Within a value that is kept or dropped as a whole: its sink, its depth, and the string that it is in. */
  #sink: JsonSink | null = null;
  #isPiece = false;
  #depth = 0;
  #isScalar = false;
  readonly #string = new StringEnd();
  #bare: { readonly rest: string; readonly text: Buffer; at: number } | null = null;
  #name: Buffer[] = [];

  constructor(cut: JsonCut) {
    this.#rootCut = cut;
  }

  /** Takes the next bytes; gives the pieces that end in them. */
  push(chunk: Buffer): readonly JsonPiece[] {
    let at = 0;
    while (at < chunk.length) {
      if (this.#state === "plain") at = this.#plain(chunk, at);
      else if (this.#state === "name") at = this.#readName(chunk, at);
      else at = this.#structure(chunk, at);
    }
    const { length } = this.#pieces;
    return length === 0 ? [] : this.#pieces.splice(0, length);
  }

  /** What is left of the document. */
  end(): JsonPiece {
    if (this.#state === "plain" && this.#isScalar && this.#frames.length === 0) this.#state = "end";
    if (this.#state !== "end")
      throw new SourceFault("truncated", this.#place() || null, "ends in the middle; the file is truncated");
    return { place: "", text: this.#root.text(), hasNoNumbers: this.#root.hasNoNumbers };
  }

  /** Where the reader is. */
  #place(): string {
    const frame = this.#frames.at(-1);
    if (frame === undefined) return "";
    if (frame.isList) return `${frame.place}[${frame.index}]`;
    return frame.name === "" ? frame.place : memberPlace(frame.place, frame.name);
  }

  #invalid(what: string): SourceFault {
    return new SourceFault("invalid", this.#place() || null, `is not JSON: ${what}`);
  }

  /** Reads one mark or the begin of a value outside of plain values. */
  #structure(chunk: Buffer, at: number): number {
    const byte = chunk[at] ?? 0;
    if (byte === 32 || (byte >= 9 && byte <= 13)) return at + 1;
    if (this.#state === "end") throw this.#invalid("it goes on after its end");
    const frame = this.#frames.at(-1);
    if (frame === undefined) return this.#begin(chunk, at, this.#rootCut, this.#root, false, "");
    if (frame.isList) return this.#inList(frame, chunk, at, byte);
    return this.#inObject(frame, chunk, at, byte);
  }

  #inList(frame: Frame, chunk: Buffer, at: number, byte: number): number {
    if (byte === CLOSE_LIST && frame.next !== "value") return this.#close(frame, byte, at);
    if (frame.next === "end") {
      if (byte !== COMMA) throw this.#invalid("a comma or ] is missing");
      frame.next = "value";
      frame.index++;
      return at + 1;
    }
    frame.next = "end";
    const place = `${frame.place}[${frame.index}]`;
    return this.#begin(chunk, at, frame.cut.elements ?? {}, new JsonSink(place), true, place);
  }

  #inObject(frame: Frame, chunk: Buffer, at: number, byte: number): number {
    if (byte === CLOSE_OBJECT && (frame.next === "first" || frame.next === "end"))
      return this.#close(frame, byte, at);
    if (frame.next === "end") {
      if (byte !== COMMA) throw this.#invalid("a comma or } is missing");
      frame.next = "name";
      return at + 1;
    }
    if (frame.next === "colon") {
      if (byte !== COLON) throw this.#invalid("a colon is missing");
      frame.next = "value";
      return at + 1;
    }
    if (frame.next === "value") {
      frame.next = "end";
      const cut = frame.memberCut;
      if (cut === "skip") return this.#beginPlain(at, byte, null, false);
      return this.#begin(chunk, at, cut ?? {}, frame.sink, false, memberPlace(frame.place, frame.name));
    }
    if (byte !== QUOTE) throw this.#invalid("a name is missing");
    this.#state = "name";
    this.#name = [chunk.subarray(at, at + 1)];
    return at + 1;
  }

  #readName(chunk: Buffer, at: number): number {
    const end = this.#string.find(chunk, at);
    this.#name.push(chunk.subarray(at, end));
    if (this.#string.isOpen) return end;
    const text = Buffer.concat(this.#name);
    const frame = this.#frames.at(-1);
    if (frame === undefined) throw this.#invalid("a name stands alone");
    frame.name = this.#parseName(text);
    const { members, others } = frame.cut;
    const named =
      members !== undefined && Object.hasOwn(members, frame.name) ? members[frame.name] : undefined;
    frame.memberCut = named ?? others ?? null;
    if (frame.memberCut !== "skip") {
      if (frame.kept++ > 0) frame.sink.add(mark(COMMA));
      frame.sink.add(text);
      frame.sink.add(mark(COLON));
    }
    frame.next = "colon";
    this.#state = "frame";
    return end;
  }

  #parseName(text: Buffer): string {
    try {
      return JSON.parse(text.toString("utf8")) as string;
    } catch {
      throw this.#invalid("a name is damaged");
    }
  }

  /** Begins a value: of a container whose parts are wanted one by one a frame, of any other a plain value. */
  #begin(chunk: Buffer, at: number, cut: JsonCut, sink: JsonSink, isPiece: boolean, place: string): number {
    const byte = chunk[at] ?? 0;
    const isObject = byte === OPEN_OBJECT && (cut.members !== undefined || cut.others !== undefined);
    const isList = byte === OPEN_LIST && cut.elements !== undefined;
    const needsList = cut.elements !== undefined && cut.members === undefined && cut.others === undefined;
    if (needsList && !isList && byte !== LETTER_N_OF_NULL)
      throw new SourceFault("invalid", place || null, "is not a list");
    if (!isObject && !isList) return this.#beginPlain(at, byte, sink, isPiece);
    sink.add(mark(byte));
    this.#frames.push({
      cut,
      isList,
      sink,
      isPiece,
      place,
      index: 0,
      kept: 0,
      next: "first",
      name: "",
      memberCut: null,
    });
    this.#state = "frame";
    return at + 1;
  }

  #close(frame: Frame, byte: number, at: number): number {
    frame.sink.add(mark(byte));
    this.#frames.pop();
    if (frame.isPiece) this.#give(frame.sink);
    this.#state = this.#frames.length === 0 ? "end" : "frame";
    return at + 1;
  }

  #give(sink: JsonSink): void {
    this.#pieces.push({ place: sink.place, text: sink.text(), hasNoNumbers: sink.hasNoNumbers });
  }

  #beginPlain(at: number, byte: number, sink: JsonSink | null, isPiece: boolean): number {
    if (byte === COMMA || byte === COLON || byte === CLOSE_LIST || byte === CLOSE_OBJECT)
      throw this.#invalid("a value is missing");
    this.#state = "plain";
    this.#sink = sink;
    this.#isPiece = isPiece;
    this.#depth = 0;
    this.#isScalar = byte !== QUOTE && byte !== OPEN_LIST && byte !== OPEN_OBJECT;
    return at;
  }

  /** Reads on within a plain value, up to its end or that of the chunk. */
  #plain(chunk: Buffer, from: number): number {
    if (this.#bare !== null) return this.#bareWord(chunk, from);
    let at = from;
    if (this.#string.isOpen) at = this.#string.find(chunk, at);
    const meant = this.#isScalar ? MEANT_IN_SCALAR : MEANT;
    while (at < chunk.length && !this.#string.isOpen) {
      if (this.#depth === 0 && at > from && !this.#isScalar) return this.#endPlain(chunk, from, at);
      const byte = chunk[at] ?? 0;
      if (meant[byte] === 0) {
        at++;
        continue;
      }
      if (byte === QUOTE) at = this.#string.find(chunk, at + 1);
      else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        if (++this.#depth > MAX_DEPTH && this.#sink !== null)
          throw this.#invalid(`it is nested more than ${MAX_DEPTH} levels deep`);
        at++;
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        if (this.#isScalar) return this.#endPlain(chunk, from, at);
        this.#depth--;
        at++;
      } else if (byte !== LETTER_N && byte !== LETTER_I) return this.#endPlain(chunk, from, at);
      else if (this.#sink === null) at++;
      else {
        this.#sink.add(chunk.subarray(from, at));
        this.#bare = { ...(byte === LETTER_N ? BARE_WORDS.N : BARE_WORDS.I), at: 0 };
        return at + 1;
      }
    }
    if (!this.#string.isOpen && this.#depth === 0 && !this.#isScalar) return this.#endPlain(chunk, from, at);
    this.#sink?.add(chunk.subarray(from, at));
    return at;
  }

  #endPlain(chunk: Buffer, from: number, at: number): number {
    this.#sink?.add(chunk.subarray(from, at));
    if (this.#isPiece && this.#sink !== null) this.#give(this.#sink);
    this.#sink = null;
    this.#state = this.#frames.length === 0 ? "end" : "frame";
    return at;
  }

  #bareWord(chunk: Buffer, from: number): number {
    const bare = this.#bare;
    if (bare === null) return from;
    let at = from;
    for (; at < chunk.length && bare.at < bare.rest.length; at++, bare.at++)
      if (chunk[at] !== bare.rest.charCodeAt(bare.at)) throw this.#invalid("a word is damaged");
    if (bare.at < bare.rest.length) return at;
    if (this.#sink !== null) {
      this.#sink.add(bare.text);
      this.#sink.hasNoNumbers = true;
    }
    this.#bare = null;
    return at;
  }
}

function memberPlace(place: string, name: string): string {
  return place === "" ? name : `${place}.${name}`;
}
