/** Items by what `by` gives of them, in the order of their first. */
export function grouped<Item, Group>(items: Iterable<Item>, by: (item: Item) => Group): Map<Group, Item[]> {
  const groups = new Map<Group, Item[]>();
  for (const item of items) {
    const group = by(item);
    const known = groups.get(group);
    if (known === undefined) groups.set(group, [item]);
    else known.push(item);
  }
  return groups;
}
