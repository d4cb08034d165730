import { HttpError, unsupportedMedia } from "../errors/http-error.ts";
import { joinBytes } from "../../model/long-texts.ts";
import { eachChunk } from "./packed-body.ts";

/** A form of texts and one file. */
export interface Form {
  readonly fields: ReadonlyMap<string, string>;
  /** Null where no file was sent. */
  readonly file: Uint8Array | null;
}

const MAX_FIELDS = 20;

/** Reads a body of `multipart/form-data` of at most `limit` bytes; the file is the part that has this name. */
export async function readForm(request: Request, limit: number, fileName: string): Promise<Form> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^multipart\/form-data\s*;/i.test(type))
    throw unsupportedMedia("The body must be multipart/form-data, with a boundary.");
  // Imported here, so that it is not loaded where no form is read.
  const { Busboy } = await import("@fastify/busboy");
  const fields = new Map<string, string>();
  const chunks: Uint8Array[] = [];
  let hasFile = false;
  const parser = openParser(() => {
    return new Busboy({ headers: { "content-type": type }, limits: { fields: MAX_FIELDS, fileSize: limit } });
  });
  const parsed = new Promise<void>((resolve, reject) => {
    const fail = (cause: unknown) => reject(malformed(cause));
    parser.on("finish", resolve).on("error", fail);
    parser.on("file", (name, stream) => {
      hasFile ||= name === fileName;
      stream.on("data", (chunk: Uint8Array) => {
        if (name === fileName) chunks.push(chunk);
      });
      // A body that ends inside a file is told to the file's stream as well.
      stream.on("error", fail);
    });
  });
  parser.on("field", (name, value) => fields.set(name, value));
  parsed.catch(() => undefined);
  await eachChunk(request, limit, (chunk) => void parser.write(chunk));
  parser.end();
  await parsed;
  return { fields, file: hasFile ? await joinBytes(chunks) : null };
}

function openParser<T>(open: () => T): T {
  try {
    return open();
  } catch (cause) {
    throw malformed(cause);
  }
}

function malformed(cause: unknown): HttpError {
  return new HttpError(400, "invalid_form", "The request body is not a well-formed form.", {}, { cause });
}
