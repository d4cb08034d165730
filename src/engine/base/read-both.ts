import type { Session } from "../../store/session.ts";

/** Runs two reads of the state that `session` sees, at the same time if possible. */
export async function readBoth<One, Other extends object>(
  session: Session,
  readOne: (own: Session) => Promise<One>,
  readOther: (own: Session) => Promise<Other>,
): Promise<readonly [One, Other]> {
  const beside = readBeside(session, readOther);
  const ended = beside.catch(() => undefined);
  let one: One;
  try {
    one = await readOne(session);
  } finally {
    await ended;
  }
  return [one, (await beside) ?? (await readOther(session))];
}

/**
 * Reads the state that `session` sees on a second connection; null if a write came in between, since the second
 * connection may then see another state.
 */
async function readBeside<T>(session: Session, ask: (own: Session) => Promise<T>): Promise<T | null> {
  if (session.epoch === null) return null;
  return session.inSecondSession(async (own) => (own.epoch === session.epoch ? ask(own) : null));
}
