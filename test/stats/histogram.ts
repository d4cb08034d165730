/** How many clusters there are of each size. */
export function histogramOf(ids: readonly (string | number)[]): { size: number; count: number }[] {
  const sizes = [...new Set(ids)].map((id) => ids.filter((one) => one === id).length);
  return [...new Set(sizes)].map((size) => ({ size, count: sizes.filter((one) => one === size).length }));
}
