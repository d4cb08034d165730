import { HttpError } from "../errors/http-error.ts";

/** Endpoints below /v1 that clients know and this service leaves out: method, path, and what to do instead. */
const NOT_OFFERED: readonly (readonly [method: RegExp, path: RegExp, advice: string])[] = [
  [
    /^POST$/,
    /^\/v1\/preview\/sft-training-jobs\/?$/,
    "its data lie behind an address that this service would have to fetch; use /v1/preview/training-jobs",
  ],
  [
    /^(?:GET|POST|DELETE)$/,
    /^\/v1\/responses\//,
    "the state of responses lies at one model server; send the whole conversation to /v1/responses",
  ],
];

/** The refusal of an endpoint that is left out; undefined for any other. */
export function notOffered(method: string, path: string): HttpError | undefined {
  const found = NOT_OFFERED.find(([methods, paths]) => methods.test(method) && paths.test(path));
  if (found === undefined) return undefined;
  const reason = `${method} ${path} is not part of this service: ${found[2]}.`;
  const headers = { "x-should-retry": "false" };
  return new HttpError(404, "not_offered", reason, { type: "not_found_error", headers });
}
