import { randomUUID } from "node:crypto";
import { StoreError } from "../../errors.ts";
import type { TakenCommit } from "../lookup/visible.ts";
import type { ClickHouse } from "../server/client.ts";
import { hasNumber } from "../server/server-faults.ts";

const KEEPER_FAULT = 999;

/**
 * Commits under a number that nobody else has: returns false where it is taken. With a coordinator the commit is what
 * the coordinator stores; without one it is the record of `loads`.
 */
export async function takeCommit(
  client: ClickHouse,
  hasCoordinator: boolean,
  commit: TakenCommit,
): Promise<boolean> {
  if (hasCoordinator) {
    if (!(await takeNumber(client, commit))) return false;
    // Whoever maintains the database notes what was not noted; until then readers find it with the coordinator.
    await noteCommit(client, commit).catch(() => undefined);
    return true;
  }
  await noteCommit(client, commit);
  return true;
}

async function takeNumber(client: ClickHouse, { number, loads, dead }: TakenCommit): Promise<boolean> {
  const writer = randomUUID();
  try {
    await client.run(
      `INSERT INTO commits SELECT {number: UInt64}, {loads: Array(UInt64)}, {dead: Array(UInt64)}, {writer: String}`,
      { number, loads, dead, writer },
      { settings: { keeper_map_strict_mode: 1 } },
    );
    return true;
  } catch (error) {
    const isDoubtful =
      hasNumber(error, KEEPER_FAULT) || (error instanceof StoreError && error.code === "unreachable");
    if (!isDoubtful) throw error;
    const [found] = await client.rows("SELECT writer FROM commits WHERE number = {number: UInt64}", {
      number,
    });
    if (found === undefined) throw error;
    return found[0] === writer;
  }
}

/** Notes a commit in `loads`. Twice is no harm. */
export async function noteCommit(client: ClickHouse, { number, loads, dead }: TakenCommit): Promise<void> {
  const note = async (state: "visible" | "dead", named: readonly bigint[]) => {
    const [load] = named;
    if (load === undefined) return;
    await client.run(
      `INSERT INTO loads (load, state, commit, loads) SELECT {load: UInt64}, {state: String}, {number: UInt64}, {named: Array(UInt64)}`,
      { load, state, number, named },
    );
  };
  await note("visible", loads);
  await note("dead", dead);
}
