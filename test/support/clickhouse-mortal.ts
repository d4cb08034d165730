import type { ClickHouse } from "../../src/engine/clickhouse/client.ts";

/** A client that calls `die` for the request of this number, from 1, and for all after it; `survived` tells whether it never came so far. */
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
    close: () => client.close(),
  });
  return { through, survived: () => requests < step };
}
