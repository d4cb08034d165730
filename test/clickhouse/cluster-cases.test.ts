import { describe } from "vitest";
import { loadCases } from "../cases/load.ts";
import { casesHaveTheSameAnswers } from "../support/clickhouse-cases.ts";
import { sharedCluster } from "../support/clickhouse-cluster.ts";
import { noClickHouse } from "../support/clickhouse-server.ts";
import { because } from "../support/skipped.ts";

/** A request to two servers takes a good part of a second; `test/slow/clickhouse` has all cases. */
const ONE_IN = 12;

describe.skipIf(noClickHouse !== null)(
  `one case in ${ONE_IN} has the same answer on a cluster of two shards${because(noClickHouse)}`,
  () => {
    casesHaveTheSameAnswers(
      loadCases().filter((_, i) => i % ONE_IN === 0),
      sharedCluster,
    );
  },
);
