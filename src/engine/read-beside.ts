import type { Session, Store } from "../model/session.ts";

/** Reads what `session` sees, on a connection of its own; null where that cannot be known, since a write came in between. */
export async function readBeside<T>(
  store: Store,
  session: Session,
  read: (own: Session) => Promise<T>,
): Promise<T | null> {
  if (session.epoch === null || store.epoch() !== session.epoch) return null;
  return session.beside(async (own) => (own.epoch === session.epoch ? read(own) : null));
}
