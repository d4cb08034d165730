export function union<T>(sets: readonly ReadonlySet<T>[]): ReadonlySet<T> {
  return new Set(sets.flatMap((set) => [...set]));
}

export function intersection<T>(sets: readonly ReadonlySet<T>[]): ReadonlySet<T> {
  const [first = new Set<T>(), ...rest] = sets;
  return new Set([...first].filter((item) => rest.every((set) => set.has(item))));
}
