import type { Readable, Writable } from "node:stream";
import { oneLine } from "../../model/plain-line.ts";
import { wrapped } from "../../text/text-width.ts";

/** The streams and the abort signal of a process. */
export interface Streams {
  readonly stdin: Readable;
  /** For results only. */
  readonly stdout: Screen;
  /** For notes, progress and errors. */
  readonly stderr: Screen;
  /** Aborts when the user interrupts the command. */
  readonly signal: AbortSignal;
}

/** The streams and the abort signal of a command. */
export interface Terminal extends Streams {
  /** Whether the user wants neither notes nor progress. */
  readonly isQuiet: () => boolean;
  /** The file that begins with the key for services; undefined where none is named. */
  readonly keyFile: () => string | undefined;
}

/** A stream; a terminal also tells the cells of its lines. */
export type Screen = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** Resolves when the text is written. A reader that has closed the pipe (`| head`) is not an error. */
export async function print(screen: Screen, text: string): Promise<void> {
  await write(screen, text).catch((error: unknown) => {
    if (!(error instanceof Error && isClosedPipe(error))) throw error;
  });
}

/** Prints to standard error what is no error, unless the user wants none of it. */
export async function note({ stderr, isQuiet }: Terminal, text: string): Promise<void> {
  if (text !== "" && !isQuiet()) await print(stderr, printable(text));
}

/** A text of several lines, of which no control character that they quote reaches the terminal. */
export function printable(text: string): string {
  return text.split("\n").map(oneLine).join("\n");
}

/** Prints warnings as notes: they quote names. */
export async function noteAll(terminal: Terminal, warnings: readonly string[]): Promise<void> {
  const width = screenWidth(terminal.stderr) ?? Infinity;
  const lines = warnings.flatMap((warning) => wrapped(`note: ${oneLine(warning)}`, width));
  await note(terminal, lines.map((line) => `${line}\n`).join(""));
}

const USUAL_WIDTH = 80;

/** The cells of a line of a terminal; null of a file or a pipe, whose lines may have any length. */
export function screenWidth({ isTTY, columns }: Screen): number | null {
  if (isTTY !== true) return null;
  return columns === undefined || columns < 1 ? USUAL_WIDTH : columns;
}

/** Like {@link print}, but rejects where the reader has gone, so that nothing more is made for it. */
export function write(screen: Screen, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    screen.write(text, (error) => (error === null || error === undefined ? resolve() : reject(error)));
  });
}

/**
 * Ignores stream errors, since a closed pipe without a listener would end the process; {@link print} reports every
 * other fault.
 */
export function outliveClosedPipes(...screens: readonly Screen[]): void {
  for (const screen of screens) screen.on("error", () => {});
}

/** Whether the screen is a terminal whose user did not ask for plain text (no-color.org). */
export function showsColour(screen: Screen): boolean {
  return screen.isTTY === true && (process.env["NO_COLOR"] ?? "") === "";
}

export function isClosedPipe(error: Error): boolean {
  return "code" in error && (error.code === "EPIPE" || error.code === "ERR_STREAM_DESTROYED");
}
