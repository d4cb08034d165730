/** What a subject has open. Asking for it before anything is open is a mistake of the caller. */
export interface Holder<T> {
  get(): T;
  replace(next: Promise<T>): Promise<void>;
  close(): Promise<void>;
}

export function holder<T>(name: string, close: (opened: T) => void | Promise<void>): Holder<T> {
  let current: { readonly opened: T } | null = null;
  return {
    get: () => {
      if (current === null) throw new Error(`${name}: nothing is open`);
      return current.opened;
    },
    replace: async (next) => {
      current = { opened: await next };
    },
    close: async () => {
      if (current !== null) await close(current.opened);
      current = null;
    },
  };
}
