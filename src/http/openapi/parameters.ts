/** Describes an optional header. */
function headerParameter(name: string, description: string) {
  return { name, in: "header", required: false, description, schema: { type: "string" } };
}

export const PROJECT_HEADER = headerParameter(
  "OpenAI-Project",
  "ENTITY/PROJECT that the request is counted for",
);

export const IDEMPOTENCY_KEY = headerParameter(
  "Idempotency-Key",
  "Up to 255 characters; the same request sent again under it is not a second job",
);

/** Describes the parameters that a path names in braces. */
export function pathParameters(path: string) {
  return Array.from(path.matchAll(/\{([^}]+)\}/g), ([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}

/** Parameters of cursor paging. */
export const PAGE_PARAMETERS = [
  {
    name: "after",
    in: "query",
    description: "Id of the last item of the page before",
    schema: { type: "string" },
  },
  { name: "limit", in: "query", schema: { type: "integer", minimum: 1, maximum: 100, default: 20 } },
];

/** Parameter of lists that can be read in either order. */
export const ORDER_PARAMETER = {
  name: "order",
  in: "query",
  schema: { type: "string", enum: ["asc", "desc"], default: "asc" },
};
