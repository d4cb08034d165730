import type { SourcePart } from "../../format.ts";
import { SourceFault, withPlace } from "../../read/fault.ts";
import type { JsonCut } from "../../read/json-cut.ts";
import { jsonPieces, parsePlain, readDocument } from "../../read/json-pieces.ts";
import { expectObject } from "../../read/members.ts";
import type { SourceFile } from "../../read/source-file.ts";
import type { JsonObject } from "../../../model/json.ts";

/** The object that a file of a run holds. Throws {@link SourceFault} with its path. */
export async function readPart(part: SourcePart, cut: JsonCut = {}): Promise<JsonObject> {
  const file = await part.open();
  return await readObject(file, part.path, cut);
}

/** The object that another file beside one of a run holds; null where there is none, or one that cannot be read. */
export async function readOther(part: SourcePart, path: string): Promise<JsonObject | null> {
  const file = await part.other(path);
  if (file === null) return null;
  try {
    return await readObject(file, path, {});
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error;
    return null;
  }
}

async function readObject(file: SourceFile, path: string, cut: JsonCut): Promise<JsonObject> {
  try {
    return expectObject(parsePlain(await readDocument(file.bytes(), cut)), null);
  } catch (error) {
    throw withPlace(path, error);
  } finally {
    await file.close();
  }
}

/** The trials of a run, each read when asked for: elements of a list in the file of the run, or files of a role. */
export async function* trialsIn(parts: readonly SourcePart[], list: string, role: string) {
  const cut: JsonCut = { members: { [list]: { elements: {} } }, others: "skip" };
  for (const part of parts) {
    if (part.role === role) yield { place: part.path, read: () => readPart(part) };
    if (part.role !== "run") continue;
    const file = await part.open();
    try {
      for await (const piece of jsonPieces(file.bytes(), cut))
        if (piece.place !== "")
          yield {
            place: piece.place,
            read: (): Promise<JsonObject> => Promise.resolve(expectObject(parsePlain(piece), null)),
          };
    } finally {
      await file.close();
    }
  }
}

/** What is read of a trial; null where it is refused, of which `refuse` hears. */
export async function orSkipped<T>(
  read: () => Promise<T>,
  path: string,
  refuse: (fault: SourceFault) => void,
): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    const fault = withPlace(path, error);
    if (!(fault instanceof SourceFault)) throw fault;
    refuse(fault);
    return null;
  }
}
