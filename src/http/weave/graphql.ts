import { z } from "zod";
import { checkArgument } from "../../model/arguments.ts";
import { mayUse, type Principal } from "../keys/key-ring.ts";
import { parseRequestJson } from "../routes/read-request.ts";
import type { ProtectedRoute } from "../routes/route.ts";
import { jsonAnswer } from "../wire/answer.ts";
import { readText } from "./weave-route.ts";

const MAX_DEPTH = 64;

const graphqlRequest = z
  .looseObject({ query: z.string(), variables: z.record(z.string(), z.unknown()).nullish() })
  .meta({ id: "WeaveGraphql" });

type Variables = Readonly<Record<string, unknown>>;

/** The questions that SDKs ask, told apart by the field that they select. */
const ANSWERS: readonly (readonly [
  field: string,
  answer: (variables: Variables, who: Principal) => object,
])[] = [
  ["viewer", (_variables, who) => ({ data: { viewer: viewerOf(who) } })],
  [
    "upsertModel",
    (variables, who) =>
      mayNot(who, variables) ?? {
        data: { upsertModel: { model: { name: variables["name"], description: null } } },
      },
  ],
  [
    "project(",
    (variables, who) => mayNot(who, variables) ?? { data: { project: { name: variables["name"] } } },
  ],
];

export const graphqlRoute: ProtectedRoute = {
  method: "POST",
  path: "/graphql",
  access: "basic",
  id: "weaveGraphql",
  reads: true,
  summary:
    "Three questions of SDKs of W&B Weave: who asks, and whether a project is there. No GraphQL server",
  body: graphqlRequest,
  reply: z.looseObject({ data: z.unknown() }).meta({ id: "WeaveGraphqlReply" }),
  example: {
    request: { query: "query DefaultEntity { viewer { username defaultEntity { name } } }" },
    reply: { data: { viewer: { username: "ann", defaultEntity: { name: "acme" } } } },
  },
  async run({ limits }, request, principal) {
    const text = await readText(request, limits.other);
    const { query, variables } = checkArgument(parseRequestJson(text, MAX_DEPTH, limits), graphqlRequest);
    const answer = ANSWERS.find(([field]) => query.includes(field))?.[1];
    const told = answer?.(variables ?? {}, principal) ?? {
      data: null,
      errors: [{ message: "not part of this service" }],
    };
    return jsonAnswer(JSON.stringify(told));
  },
};

function viewerOf({ user, projects }: Principal) {
  const [first = "*"] = projects;
  return { username: user, defaultEntity: { name: first === "*" ? null : first.split("/", 1)[0] } };
}

/** The refusal of a project that the caller may not use; an SDK shows its message. Undefined where he may. */
function mayNot(who: Principal, variables: Variables): object | undefined {
  const { entityName, entity, name } = variables;
  const given = [entityName, entity].find((one) => typeof one === "string");
  const owner = given ?? viewerOf(who).defaultEntity.name ?? "";
  const projectId = `${owner}/${typeof name === "string" ? name : ""}`;
  if (mayUse(who, projectId)) return undefined;
  const message = `This key may not use the project ${JSON.stringify(projectId.slice(0, 200))}.`;
  return { data: { project: null }, errors: [{ message, extensions: { code: "PERMISSION_ERROR" } }] };
}
