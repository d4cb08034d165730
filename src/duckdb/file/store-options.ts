import type { StoreWarning } from "../../store/warning.ts";

export interface StoreOptions {
  readonly path: string;
  readonly readOnly: boolean;
  readonly threads: number | null;
  readonly memoryLimit: string | null;
  readonly onWarning?: ((warning: StoreWarning) => void) | undefined;
}

const UNITS: Readonly<Record<string, number>> = {
  BYTES: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KIB: 2 ** 10,
  MIB: 2 ** 20,
  GIB: 2 ** 30,
  TIB: 2 ** 40,
};

/** Parses a size as `memoryLimit` gives it, or as DuckDB reports it. */
export function memoryBytes(text: string): number {
  const [, digits = "", unit = ""] = /^([\d.]+)\s*([^\s\d.].*)?$/.exec(text) ?? [];
  const scale = UNITS[unit.toUpperCase()] ?? 1;
  return Number(digits) * scale;
}
