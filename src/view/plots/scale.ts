import { nice, tickStep, ticks } from "./ticks.ts";

/** Numbers from `low` to `high` along an axis. */
export interface Scale {
  readonly low: number;
  readonly high: number;
  readonly ticks: readonly number[];
}

/** A scale over all of these numbers, a little wider; at most about `count` ticks. */
export function scaleOver(values: readonly number[], count: number): Scale {
  const known = values.filter(Number.isFinite);
  const [least, most] = [smallest(known), largest(known)];
  const room = (most - least) * ROOM || Math.abs(most) * ROOM || 1;
  const step = tickStep(least - room, most + room, count);
  const [below, above] = [Math.floor(least / step) * step, Math.ceil(most / step) * step];
  const low = least - below < step / 2 ? Math.min(below, least - room) : least - room;
  const high = above - most < step / 2 ? Math.max(above, most + room) : most + room;
  return { low, high, ticks: ticks(low, high, count) };
}

/** A scale from 0 or lower that ends at round numbers. */
export function scaleFromZero(values: readonly number[], count: number): Scale {
  const known = values.filter(Number.isFinite);
  const [low, high] = nice(Math.min(0, smallest(known)), largest(known) || 1, count);
  return { low, high, ticks: ticks(low, high, count) };
}

/** How far beyond the outermost value a scale goes, as a share. */
const ROOM = 0.04;

/** Where a value is, in percent from the left; 50 on a scale of one number. */
export function placeOn({ low, high }: Scale, value: number): number {
  const share = high > low ? (value - low) / (high - low) : 0.5;
  return Math.min(100, Math.max(0, share * 100));
}

/** `12.34%` */
export function percent(place: number): string {
  return `${Number(place.toFixed(2))}%`;
}

function smallest(values: readonly number[]): number {
  return values.reduce((least, value) => Math.min(least, value), values[0] ?? 0);
}

function largest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), values[0] ?? 0);
}
