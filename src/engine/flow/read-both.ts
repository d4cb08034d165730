import type { Session, Store } from "../../store/session.ts";

/** Reads twice what `session` sees, at once where that can be. */
export async function readBoth<One, Other extends object>(
  store: Store,
  session: Session,
  readOne: (own: Session) => Promise<One>,
  readOther: (own: Session) => Promise<Other>,
): Promise<readonly [One, Other]> {
  const beside = readBeside(store, session, readOther);
  const ended = beside.catch(() => undefined);
  let one: One;
  try {
    one = await readOne(session);
  } finally {
    await ended;
  }
  return [one, (await beside) ?? (await readOther(session))];
}

/** Reads what `session` sees, on a connection of its own; null where that cannot be known, since a write came in between. */
async function readBeside<T>(
  store: Store,
  session: Session,
  read: (own: Session) => Promise<T>,
): Promise<T | null> {
  if (session.epoch === null || store.epoch() !== session.epoch) return null;
  return session.inSecondSession(async (own) => (own.epoch === session.epoch ? read(own) : null));
}
