import type { WeaveCaller } from "../../src/index.ts";

export const PROJECT = "acme/qa";
export const ANN: WeaveCaller = { userId: "ann" };

/** A caller who may use the project {@link PROJECT} and no other. */
export const STRANGER: WeaveCaller = {
  userId: "eve",
  authorize: (projectId) => {
    if (projectId !== "other/project") throw new Error(`forbidden ${projectId}`);
  },
};

/** What a function of the adapter answers to a request, parsed. */
export async function ask<T>(
  work: (request: string, caller: WeaveCaller) => Promise<string>,
  request: unknown,
  caller: WeaveCaller = ANN,
): Promise<T> {
  const text = typeof request === "string" ? request : JSON.stringify(request);
  return JSON.parse(await work(text, caller)) as T;
}

/** The whole of an answer in pieces. */
export async function collected(pieces: AsyncIterable<string>): Promise<string> {
  const all: string[] = [];
  for await (const piece of pieces) all.push(piece);
  return all.join("");
}

export const object = (object_id: string, val: unknown, others: object = {}) => ({
  obj: { project_id: PROJECT, object_id, val, ...others },
});

export const table = (rows: readonly unknown[], others: object = {}) => ({
  table: { project_id: PROJECT, rows, ...others },
});
