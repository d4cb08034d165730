import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { writeJson, type Json } from "../../model/json.ts";
import { sizeOfText } from "../../words/figures.ts";
import { asError } from "../row-parts/use-asked.ts";
import { saveFile } from "../rows/download.ts";
import type { Readable } from "../rows/readable.ts";

/** A value that may be long, of which there may be the start alone. */
export interface WholeSource {
  /** Tells it from other values. */
  readonly key: string;
  /** Bytes of JSON of the whole where there is the start alone; else null. */
  readonly bytes: number | null;
  /** The whole value. */
  readonly read: (signal: AbortSignal) => Promise<Json>;
  /** The name of its file, without extension. */
  readonly file: string;
}

/** Characters from which a text can be copied and downloaded. */
const LONG_TEXT = 20_000;

export function isLongText(value: Readable | null): boolean {
  return value !== null && (value.stored ?? value.text).length > LONG_TEXT;
}

interface WholeTextProps {
  readonly whole: WholeSource;
  readonly isShown: boolean;
  /** Told the whole value to show, null to show its start again. */
  readonly show: (value: Json | null) => void;
}

/** Buttons that show, copy and download all of a value, which is read when the first of them is pressed. */
export function WholeText({ whole, isShown, show }: WholeTextProps): VNode {
  const [told, setTold] = useState("");
  const [control] = useState(() => new AbortController());
  const reading = useRef<Promise<Json> | null>(null);
  useEffect(() => () => control.abort(), []);
  const toggle = () => {
    if (!isShown) return use(show, "All of it is shown.");
    show(null);
    return setTold("");
  };
  const use = async (what: (value: Json) => void | Promise<void>, done: string) => {
    setTold("Reading all of it.");
    try {
      await what(await (reading.current ??= whole.read(control.signal)));
      setTold(done);
    } catch (error) {
      reading.current = null;
      if (!control.signal.aborted) setTold(asError(error).message);
    }
  };
  return (
    <p class="whole-text">
      {whole.bytes === null ? null : (
        <button type="button" aria-pressed={isShown} onClick={() => void toggle()}>
          Show all, {sizeOfText(whole.bytes)}
        </button>
      )}{" "}
      <button type="button" onClick={() => void use(copy, "Copied.")}>
        Copy
      </button>{" "}
      <button type="button" onClick={() => void use((value) => save(value, whole.file), "Downloaded.")}>
        Download
      </button>{" "}
      <span aria-live="polite">{told}</span>
    </p>
  );
}

function textOf(value: Json): string {
  return typeof value === "string" ? value : writeJson(value);
}

async function copy(value: Json): Promise<void> {
  try {
    await navigator.clipboard.writeText(textOf(value));
  } catch {
    throw new Error("The browser does not let the page copy this; it can be downloaded.");
  }
}

function save(value: Json, file: string): void {
  const isText = typeof value === "string";
  const type = isText ? "text/plain;charset=utf-8" : "application/json";
  saveFile(new Blob([textOf(value)], { type }), `${file}.${isText ? "txt" : "json"}`);
}
