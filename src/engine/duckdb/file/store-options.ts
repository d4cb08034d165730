export interface StoreOptions {
  readonly path: string;
  readonly readOnly: boolean;
  readonly threads: number | null;
  readonly memoryLimit: string | null;
}
