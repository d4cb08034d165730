import { z } from "zod";

/** A schema as OpenAPI 3.1 takes it. */
type JsonSchema = Readonly<Record<string, unknown>>;

/** Collects the named schemas of a description. */
export interface SchemaCollection {
  /** Adds the schema under its id, with those that it refers to, and gives back a reference to it. */
  refer(schema: z.ZodType): { readonly $ref: string };
  readonly schemas: Readonly<Record<string, JsonSchema>>;
}

/** Requests are described as they are sent: members with defaults need not be there. */
export function collectSchemas(): SchemaCollection {
  const schemas: Record<string, JsonSchema> = {};
  return {
    schemas,
    refer(schema) {
      const id = z.globalRegistry.get(schema)?.id;
      if (id === undefined) throw new TypeError("only schemas with an id can be described");
      const { $defs = {}, $schema: _dialect, ...own } = toJsonSchema(schema, id);
      const named = { [id]: own, ...$defs };
      for (const [name, definition] of Object.entries(named)) schemas[name] ??= withoutId(definition);
      return { $ref: `#/components/schemas/${id}` };
    },
  };
}

interface Definition extends JsonSchema {
  readonly $defs?: Record<string, JsonSchema>;
}

/** Parts without a name of their own are named after the schema that they are part of. */
function toJsonSchema(schema: z.ZodType, id: string): Definition {
  const json = z.toJSONSchema(schema, { target: "draft-2020-12", io: "input", unrepresentable: "any" });
  const text = JSON.stringify(json)
    .replaceAll("__schema", `${id}Part`)
    .replaceAll('"#/$defs/', '"#/components/schemas/');
  return JSON.parse(text) as Definition;
}

function withoutId({ id: _id, ...rest }: JsonSchema): JsonSchema {
  return rest;
}
