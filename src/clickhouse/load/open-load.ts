import { setTimeout as pause } from "node:timers/promises";
import { StoreError } from "../../errors.ts";
import type { ClickHouse } from "../server/client.ts";
import { integerOf } from "../server/integer-of.ts";
import type { Servers } from "../server/shards.ts";
import type { Commits } from "../lookup/visible.ts";
import { createOutbox, type Outbox } from "../insert/outbox.ts";
import { noteCommit } from "./take-commit.ts";

/** So often the writer of a load gives a sign of life. */
const BEAT_MS = 10_000;
/** Without one for so long, a load is given up: by its writer before others may. */
export const SILENT_MS = 60_000;
const SURE_MS = 45_000;
/** A load that is noted later than this could be older than what is settled. */
const MOST_AGE_MS = 10 * 60_000;
const MOST_SKEW_MS = 5 * 60_000;

/** A load that is being written. Nobody sees it before it is committed. */
export interface OpenLoad {
  readonly outbox: Outbox;
  /** Notes that the load is being written, with signs of life from then on; sending something does, too. */
  readonly begin: () => Promise<void>;
  /** Throws `StoreError` `lost_load` where others may have given it up. */
  readonly checkLife: () => void;
  /** Ends the signs of life. */
  readonly stop: () => void;
  /** Notes that it never becomes visible. */
  readonly giveUp: () => Promise<void>;
}

/**
 * Begins a load whose key is above all that `after` shows. It is noted in `loads` before its first record is sent, not
 * before: a load that changes nothing leaves nothing.
 */
export async function beginLoad(servers: Servers, after: Commits, writer: string): Promise<OpenLoad> {
  const { client } = servers;
  const load = await newLoad(client, after);
  const life = createLife(client, load, writer);
  return {
    outbox: createOutbox(servers, load, life.begin),
    begin: life.begin,
    checkLife: life.check,
    stop: life.stop,
    giveUp: async () => {
      life.stop();
      // Where the server is not reached, it is given up when it has been silent for long enough.
      if (life.hasBegun())
        await noteCommit(client, { number: 0n, loads: [], dead: [load] }).catch(() => undefined);
    },
  };
}

async function newLoad(client: ClickHouse, { last }: Commits): Promise<bigint> {
  for (;;) {
    const [found] = await client.rows("SELECT generateSnowflakeID(), toUnixTimestamp64Milli(now64(3))");
    const skew = Math.abs(Number(found?.[1]) - Date.now());
    if (skew > MOST_SKEW_MS) {
      throw new StoreError(
        "clock_off",
        `the clock of this machine is ${Math.round(skew / 1000)} s off the server's; set it, since writers are given up by the clock`,
      );
    }
    const load = integerOf(found?.[0]);
    if (load > last) return load;
    await pause(1);
  }
}

function createLife(client: ClickHouse, load: bigint, writer: string) {
  const made = Date.now();
  let last = 0;
  let timer: NodeJS.Timeout | undefined;
  let begun: Promise<void> | null = null;
  const beat = async () => {
    const at = Date.now();
    await client.run(
      "INSERT INTO loads (load, state, writer) SELECT {load: UInt64}, 'open', {writer: String}",
      { load, writer },
    );
    last = at;
  };
  const check = () => {
    if (begun === null || Date.now() - last < SURE_MS) return;
    throw lost();
  };
  const start = async () => {
    if (Date.now() - made > MOST_AGE_MS) throw lost();
    await beat();
    // One that fails is followed by the next; `check` notices where they all do.
    timer = setInterval(() => void beat().catch(() => undefined), BEAT_MS).unref();
  };
  return {
    check,
    hasBegun: () => begun !== null,
    begin: async () => {
      await (begun ??= start());
      check();
    },
    stop: () => clearInterval(timer),
  };
}

function lost(): StoreError {
  return new StoreError(
    "lost_load",
    "the load gave no sign of life for so long that it may have been given up; nothing of it is stored, load it again",
  );
}

/**
 * Refuses to write where another process does. Without a coordinator nothing orders two writers; this is a guard and no
 * proof. Of two that begin at the same time, the later one is refused.
 */
export async function checkAlone(client: ClickHouse, load: bigint, writer: string): Promise<void> {
  const [found] = await client.rows(
    `SELECT count() FROM (SELECT load, max(at) AS beat FROM loads
      WHERE state = 'open' AND writer != {writer: String} AND load < {load: UInt64} GROUP BY load)
    WHERE beat > now64(6) - toIntervalSecond({seconds: UInt32})
      AND load NOT IN (SELECT arrayJoin(loads) FROM loads WHERE state IN ('visible', 'dead'))`,
    { writer, load, seconds: SILENT_MS / 1000 },
  );
  if (Number(found?.[0]) === 0) return;
  throw new StoreError(
    "locked_database",
    "another process writes to this database, and its servers have no coordinator that could order the two; wait, or configure ClickHouse Keeper and keeper_map_path_prefix and make the database anew",
  );
}

/** Whether the load that was asked about is one that never becomes visible. */
export function checkNotDead({ isDead }: Commits): void {
  if (isDead) {
    throw new StoreError(
      "lost_load",
      "the load was given up by another process, since this one gave no sign of life; nothing of it is stored, load it again",
    );
  }
}
