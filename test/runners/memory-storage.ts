/** A function of a storage, whatever it takes. */
type Call = (told?: object) => Promise<{ readonly id: number }>;

/** A storage in memory in the form of evalite 1.0 (`newer`) or 0.19 (`older`), with the calls that it was given. */
export interface MemoryStorage {
  readonly calls: (readonly [name: string, told: unknown, answer: object])[];
  readonly runs: { readonly create: Call; readonly getMany: Call };
  readonly suites: { readonly create: Call; readonly update: Call };
  readonly evals: { readonly create: Call; readonly update: Call };
  readonly results: { readonly create: Call; readonly update: Call };
  readonly scores: { readonly create: Call };
  readonly traces: { readonly create: Call };
  readonly cache: { readonly get: (key: string) => Promise<string> };
  readonly close: () => Promise<string>;
}

const GROUPS = {
  older: ["runs", "evals", "results", "scores", "traces"],
  newer: ["runs", "suites", "evals", "scores", "traces"],
};

export function memoryStorage(form: "older" | "newer"): MemoryStorage {
  const calls: [string, unknown, object][] = [];
  let ids = 0;
  const call = (name: string) => (told?: object) => {
    const answer = { id: told !== undefined && "id" in told ? told.id : ++ids, made: name };
    calls.push([name, told, answer]);
    return Promise.resolve(answer);
  };
  const groups = GROUPS[form].map((group) => [
    group,
    Object.fromEntries(["create", "update", "getMany"].map((name) => [name, call(`${group}.${name}`)])),
  ]);
  // As in evalite, some of it is the class's.
  class Storage {
    close() {
      return Promise.resolve(`closed after ${calls.length}`);
    }
  }
  const cache = { get: (key: string) => Promise.resolve(`cached ${key}`) };
  return Object.assign(new Storage(), { calls, cache }, Object.fromEntries(groups));
}
