import { writeFile } from "node:fs/promises";

/** Writes a text to a file, as a whole or not at all. */
export async function writeWhole(file: string, text: string): Promise<void> {
  const { replaceFile } = await import("../on-use/on-use.ts");
  await replaceFile(file, (temporary) => writeFile(temporary, text));
}
