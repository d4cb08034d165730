/** Integers of 32 bits that come a few at a time. */
export class GrowingIntegers {
  #values = new Int32Array(0);
  length = 0;

  append(values: Int32Array): void {
    const wanted = this.length + values.length;
    if (wanted > this.#values.length) {
      const grown = new Int32Array(Math.max(wanted, this.#values.length * 2));
      grown.set(this.#values.subarray(0, this.length));
      this.#values = grown;
    }
    this.#values.set(values, this.length);
    this.length = wanted;
  }

  all(): Int32Array<ArrayBuffer> {
    return this.#values.subarray(0, this.length);
  }
}
