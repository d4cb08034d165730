/** Makes a value when it is first asked for. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

/** The last `most` results of a function. */
export function remembered<Key, Value>(make: (key: Key) => Value, most: number): (key: Key) => Value {
  const made = new Map<Key, Value>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.delete(key);
    made.set(key, value);
    for (const oldest of made.keys()) if (made.size > most) made.delete(oldest);
    return value;
  };
}
