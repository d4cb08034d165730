import type { Bound, ClickHouse } from "../../src/clickhouse/server/client.ts";

export interface Sent {
  readonly statement: string;
  readonly bound: Bound;
}

/** A client that notes what it asks. */
export function noting(client: ClickHouse, sent: Sent[]): ClickHouse {
  return {
    ...client,
    arrow: (statement, bound = {}, options = {}) => {
      sent.push({ statement, bound });
      return client.arrow(statement, bound, options);
    },
  };
}
