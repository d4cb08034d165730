import { mapInSlices } from "../../model/turns.ts";
import { collectSchemas, type SchemaCollection } from "./json-schemas.ts";
import {
  describeOperation,
  describePublic,
  type OpenApiOperation,
  pathParameters,
  type PublicOperation,
} from "./operation.ts";

/**
 * Builds the OpenAPI 3.1 description of the service from the routes that answer its requests; others have their turn in
 * between.
 */
export async function createOpenApi(
  operations: readonly (OpenApiOperation | PublicOperation)[],
  basePath = "/",
): Promise<Record<string, unknown>> {
  const collection = collectSchemas();
  const paths: Record<string, object> = {};
  await mapInSlices(operations, (operation) => {
    paths[operation.path] = { ...paths[operation.path], ...describePath(collection, operation) };
  });
  return {
    openapi: "3.1.0",
    info: {
      title: "evalcube",
      version: "1",
      description: "Feedback, evaluation results, model inference and training records.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: basePath }],
    paths,
    components: {
      schemas: collection.schemas,
      securitySchemes: {
        basic: { type: "http", scheme: "basic", description: "The key's user, or `api`, and the key" },
        bearer: { type: "http", scheme: "bearer", description: "The key" },
      },
    },
  };
}

/** Describes a path with one of its methods. */
function describePath(collection: SchemaCollection, operation: OpenApiOperation | PublicOperation) {
  const parameters = pathParameters(operation.path);
  const described =
    operation.access === "public" ? describePublic(operation) : describeOperation(collection, operation);
  return {
    ...(parameters.length === 0 ? {} : { parameters }),
    [operation.method.toLowerCase()]: described,
  };
}
