import { randomUUID } from "node:crypto";
import { createClient } from "@clickhouse/client";
import { onTestFinished } from "vitest";

/** Replicas of one shard, with a user who may create databases: `http://host-1:8123,http://host-2:8123`. */
const GIVEN = process.env["EVALCUBE_TEST_CLICKHOUSE_REPLICAS"];

/** The URLs of the replicas to test on. */
export const replicas: readonly string[] = GIVEN === undefined ? [] : GIVEN.split(",");

/** Why tests on replicas cannot run here; null where they can. */
export const noReplicas: string | null =
  replicas.length > 1
    ? null
    : "set EVALCUBE_TEST_CLICKHOUSE_REPLICAS to the URLs of two replicas: ClickHouse's library cannot be one";

/** The name of a database that is on no replica yet and goes with the test. */
export function scratchOnReplicas(): string {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  onTestFinished(async () => {
    for (const url of replicas) {
      const client = createClient({ url });
      await client.command({ query: `DROP DATABASE IF EXISTS ${name} SYNC` });
      await client.close();
    }
  });
  return name;
}
