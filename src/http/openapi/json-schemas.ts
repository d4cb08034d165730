import { z } from "zod";

/** A JSON schema in the form that OpenAPI 3.1 accepts. */
type JsonSchema = Readonly<Record<string, unknown>>;

/** Collects the named schemas of a description. */
export interface SchemaCollection {
  /** Adds the schema under its id, with the schemas that it refers to, and returns a reference to it. */
  refer(schema: z.ZodType): { readonly $ref: string };
  readonly schemas: Readonly<Record<string, JsonSchema>>;
}

/** Collects schemas in their input form, in which members with defaults are optional. */
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

/** Converts a schema; parts without an id of their own are named after the schema that contains them. */
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
