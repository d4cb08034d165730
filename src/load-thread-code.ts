/*
 * The program of the thread that loads files. `build/bundle.ts` puts another module here, which holds the
 * text; here it is bundled when it is first asked for.
 */

interface Builder {
  readonly bundleThread: () => Promise<{ readonly text: string }>;
}

let bundled: Promise<string> | null = null;

/** The text of the program, in CommonJS. It imports only what is part of Node. */
export function loadThreadCode(): Promise<string> {
  bundled ??= bundleNow();
  return bundled;
}

async function bundleNow(): Promise<string> {
  const builder = new URL("../build/bundle-thread.ts", import.meta.url).href;
  const { bundleThread } = (await import(builder)) as Builder;
  return (await bundleThread()).text;
}
