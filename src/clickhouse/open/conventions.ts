import { StoreError } from "../../errors.ts";
import type { Conventions } from "../../model/conventions.ts";
import { chosenConventions, type WantedConventions } from "../../store/conventions.ts";
import type { ClickHouse } from "../server/client.ts";

/** What a database was made with. */
export interface Settled {
  readonly conventions: Conventions;
  /** Whether commits are taken from a coordinator, so that several processes may write. */
  readonly hasCoordinator: boolean;
  /** How many shards it has. */
  readonly shardCount: number;
}

/** What the database was made with; null where nothing is settled yet. */
export async function readSettled(client: ClickHouse): Promise<Settled | null> {
  await client.catchUp(["conventions"]);
  const [found] =
    await client.rows(`SELECT predict_and_score_ops, attribute_namespaces, has_coordinator, shards
    FROM conventions ORDER BY id LIMIT 1`);
  if (found === undefined) return null;
  const [ops, namespaces, coordinator, shards] = found;
  return {
    conventions: {
      predictAndScoreOps: JSON.parse(String(ops)) as string[],
      attributeNamespaces: JSON.parse(String(namespaces)) as string[],
    },
    hasCoordinator: coordinator === true,
    shardCount: Number(shards),
  };
}

/** Settles a new database. Of two processes that do at once, the first counts. */
export async function settle(
  client: ClickHouse,
  wanted: WantedConventions,
  { shardCount, hasCoordinator }: Pick<Settled, "shardCount" | "hasCoordinator">,
): Promise<void> {
  const { predictAndScoreOps, attributeNamespaces } = chosenConventions(wanted);
  await client.run(
    `INSERT INTO conventions SELECT generateSnowflakeID(), {ops: String}, {namespaces: String}, {shardCount: UInt32}, {coordinator: Bool}`,
    {
      ops: JSON.stringify(predictAndScoreOps),
      namespaces: JSON.stringify(attributeNamespaces),
      shardCount,
      coordinator: hasCoordinator,
    },
  );
}

/** Throws `StoreError` `other_cluster` where a database was made for another number of shards. */
export function checkShardCount(name: string, stored: number, found: number): void {
  if (stored === found) return;
  throw new StoreError(
    "other_cluster",
    `${name}: made for ${told(stored)}, not ${told(found)}; name what it was made for, or copy it to a new database with evalcube migrate`,
  );
}

function told(shards: number): string {
  return shards === 1 ? "one server" : `a cluster of ${shards} shards`;
}
