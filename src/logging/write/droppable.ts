/** A promise that may be dropped: its rejection is never an unhandled one, and it knows whether anybody listens. */
export class Droppable<T> extends Promise<T> {
  #isHeard = false;

  static from<T>(promise: Promise<T>): Droppable<T> {
    const made = new Droppable<T>((resolve, reject) => {
      promise.then(resolve, reject);
    });
    // Of the base class, so that it does not count as listening.
    void Promise.prototype.then.call(made, undefined, () => undefined);
    return made;
  }

  /** What is made from it is a plain promise. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  get isHeard(): boolean {
    return this.#isHeard;
  }

  // oxlint-disable-next-line unicorn/no-thenable -- it is a promise already
  override then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#isHeard = true;
    return super.then(onFulfilled, onRejected);
  }
}
