import { describe } from "vitest";
import { loadCases } from "../cases/load.ts";
import { casesHaveTheSameAnswers } from "../support/clickhouse-cases.ts";
import { noClickHouse, sharedClickHouse } from "../support/clickhouse-server.ts";
import { because } from "../support/skipped.ts";

describe.skipIf(noClickHouse !== null)(
  `every case has the same answer on ClickHouse${because(noClickHouse)}`,
  () => {
    casesHaveTheSameAnswers(loadCases(), async () => ({ url: await sharedClickHouse() }));
  },
);
