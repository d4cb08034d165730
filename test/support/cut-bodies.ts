import { gzipSync } from "node:zlib";

/** A body that ends before it should, as it is sent. */
export interface CutBody {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const BOUNDARY = "b0undary";

/** A form with a field and a file, as clients of `/file/create` send it. */
export function formOf(projectId: string, file: string): { readonly type: string; readonly body: Buffer } {
  const part = (disposition: string, value: string) =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${value}\r\n`;
  const field = part('name="project_id"', projectId);
  const text = `${field}${part('name="file"; filename="f"', file)}--${BOUNDARY}--\r\n`;
  return { type: `multipart/form-data; boundary=${BOUNDARY}`, body: Buffer.from(text) };
}

/** The places of a form that a cut may be in: after each of its parts' marks, and in each header, value and boundary. */
function placesOf(form: string): number[] {
  const marks = ["--b0", "\r\n", 'name="', "\r\n\r\n", "\r\n\r\nx", BOUNDARY];
  const found = marks.flatMap((mark) => [...form.matchAll(new RegExp(mark.replaceAll("-", "\\-"), "g"))]);
  const ends = found.map(({ index, 0: { length } }) => index + length);
  return [...new Set([0, 1, ...ends, form.length - 6])].toSorted((a, b) => a - b);
}

/** Forms that end at every kind of place, and the same for a JSON text and a gzip stream. */
export function cutBodies(projectId: string, json: string): CutBody[] {
  const { type, body: whole } = formOf(projectId, "x".repeat(300));
  const forms = placesOf(whole.toString("latin1"))
    .filter((end) => end < whole.length - 4)
    .map((end) => ({
      name: `a form cut at ${end}`,
      headers: { "content-type": type },
      body: whole.subarray(0, end),
    }));
  const headers = { "content-type": "application/json" };
  const packed = { ...headers, "content-encoding": "gzip" };
  const zipped = gzipSync(json);
  const jsons = [0, 1, Math.floor(json.length / 2), json.length - 1].map((end) => ({
    name: `JSON cut at ${end}`,
    headers,
    body: Buffer.from(json).subarray(0, end),
  }));
  const gzips = [0, 5, 12, zipped.length - 8, zipped.length - 1].map((end) => ({
    name: `gzip cut at ${end}`,
    headers: packed,
    body: zipped.subarray(0, end),
  }));
  const packedForm = {
    name: "a form as gzip",
    headers: { "content-type": type, "content-encoding": "gzip" },
  };
  return [...forms, ...jsons, ...gzips, { ...packedForm, body: gzipSync(whole).subarray(0, 60) }];
}
