export function createOpenApi(): Record<string, unknown> {
  return { openapi: "3.1.0" };
}
