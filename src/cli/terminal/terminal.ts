import type { Readable, Writable } from "node:stream";

/** What a command reads from and writes to. */
export interface Terminal {
  readonly stdin: Readable;
  /** Results only. */
  readonly stdout: Screen;
  /** Notes, progress and errors. */
  readonly stderr: Screen;
  /** Aborts when the user interrupts the command. */
  readonly signal: AbortSignal;
}

export type Screen = Writable & { readonly isTTY?: boolean };

/** Resolves when the text is handed over. A reader that went away (`| head`) is no error. */
export function print(screen: Screen, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    screen.write(text, (error) => {
      if (error === null || error === undefined || isClosedPipe(error)) resolve();
      else reject(error);
    });
  });
}

/** Without a listener a closed pipe would end the process; {@link print} reports every other fault. */
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
