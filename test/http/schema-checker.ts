import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

/** As much of a description as the tests look at. */
export interface Description {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, object> };
}

export interface Operation {
  readonly operationId: string;
  readonly responses: Record<string, { readonly content: Content }>;
  readonly requestBody?: { readonly content: Content };
}

type Content = Record<string, { readonly schema: SchemaReference; readonly example?: unknown }>;

export interface SchemaReference {
  readonly $ref: string;
}

/** Checks values against a named schema of the description; gives what is wrong with them. */
export function schemaChecker({ components }: Description) {
  const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }));
  ajv.addSchema({ $id: "service", components });
  return (schema: SchemaReference | undefined, value: unknown) => {
    const validate = ajv.compile({ $ref: `service${schema?.$ref ?? "#/nothing"}` });
    return validate(value) ? [] : validate.errors;
  };
}

/** The same description, where objects with named members have no others. */
export function closed(description: Description): Description {
  return JSON.parse(JSON.stringify(description, (_key, value: unknown) => closeObject(value))) as Description;
}

function closeObject(schema: unknown): unknown {
  const names = (schema as { properties?: object } | null)?.properties;
  const isNamed = typeof names === "object" && Object.keys(names).length > 0;
  return isNamed ? { ...(schema as object), additionalProperties: false } : schema;
}
