import { hashKey } from "../../model/digest.ts";

/** The projects that a writer has met. Each has a small number in this process beside its key. */
export interface Projects {
  readonly number: (projectId: string) => number;
  readonly id: (number: number) => string;
  readonly key: (number: number) => bigint;
  /** The number of a project by its key; undefined for one that was not met. */
  readonly byKey: (key: bigint) => number | undefined;
}

export function createProjects(): Projects {
  const numbers = new Map<string, number>();
  const byKey = new Map<bigint, number>();
  const ids: string[] = [];
  const keys: bigint[] = [];
  return {
    number: (projectId) => {
      const known = numbers.get(projectId);
      if (known !== undefined) return known;
      const number = ids.length;
      const key = hashKey(projectId, "");
      ids.push(projectId);
      keys.push(key);
      numbers.set(projectId, number);
      byKey.set(key, number);
      return number;
    },
    id: (number) => ids[number] ?? "",
    key: (number) => keys[number] ?? 0n,
    byKey: (key) => byKey.get(key),
  };
}
