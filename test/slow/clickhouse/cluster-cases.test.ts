import { describe } from "vitest";
import { loadCases } from "../../cases/load.ts";
import { casesHaveTheSameAnswers } from "../../support/clickhouse-cases.ts";
import { sharedCluster } from "../../support/clickhouse-cluster.ts";
import { noClickHouse } from "../../support/clickhouse-server.ts";
import { because } from "../../support/skipped.ts";

describe.skipIf(noClickHouse !== null)(
  `every case has the same answer on a cluster of two shards${because(noClickHouse)}`,
  () => {
    casesHaveTheSameAnswers(loadCases(), sharedCluster);
  },
);
