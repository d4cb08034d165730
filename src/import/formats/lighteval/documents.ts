/** Which documents of a task came, how often, and with which metrics. */
export class Documents {
  /** By document, the metrics of its trials. */
  readonly #met = new Map<string, (readonly string[])[]>();
  /** One list for all trials that have the same metrics. */
  readonly #lists = new Map<string, readonly string[]>();

  get count(): number {
    return this.#met.size;
  }

  /**
   * Counts a record: the trial that it belongs to, and whether it begins it. A document that is asked in another way has other
   * metrics: these belong to the first trial that has none of them.
   */
  meet(id: string, metrics: readonly string[]): { readonly trial: number; readonly isNew: boolean } {
    const trials = this.#met.get(id) ?? [];
    if (trials.length === 0) this.#met.set(id, trials);
    const at =
      metrics.length === 0 ? -1 : trials.findIndex((met) => !metrics.some((one) => met.includes(one)));
    if (at < 0) return { trial: trials.push(this.#list(metrics)) - 1, isNew: true };
    trials[at] = this.#list([...(trials[at] ?? []), ...metrics]);
    return { trial: at, isNew: false };
  }

  #list(metrics: readonly string[]): readonly string[] {
    const key = JSON.stringify(metrics);
    const known = this.#lists.get(key);
    if (known === undefined) this.#lists.set(key, metrics);
    return known ?? metrics;
  }
}
