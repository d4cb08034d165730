import type { ClickHouse } from "../../src/clickhouse/server/client.ts";
import type { Servers } from "../../src/clickhouse/server/shards.ts";

/** A database whose clients call `die` for the request of this number, from 1, and for all after it; `survived` tells whether it never came so far. */
export function mortal(step: number, die: (request: () => Promise<unknown>) => Promise<never>) {
  let requests = 0;
  const mayDie = async <T>(request: () => Promise<T>): Promise<T> => {
    requests++;
    return requests < step ? request() : die(request);
  };
  const through = (client: ClickHouse): ClickHouse => ({
    rows: (...args) => mayDie(() => client.rows(...args)),
    arrow: (...args) => mayDie(() => client.arrow(...args)),
    run: (...args) => mayDie(() => client.run(...args)),
    insert: (...args) => mayDie(() => client.insert(...args)),
    catchUp: (...args) => client.catchUp(...args),
    close: () => client.close(),
  });
  const throughAll = <Database extends Servers>(database: Database): Database => {
    const client = through(database.client);
    const shards = database.shards.map((one) => (one === database.client ? client : through(one)));
    return { ...database, client, shards };
  };
  return { through: throughAll, survived: () => requests < step };
}
