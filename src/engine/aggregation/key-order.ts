// How keys compare: numbers before strings, strings by code points.
import type { Key } from './intermediate.ts';

export function compareKeys(a: Key, b: Key): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return compareCodePoints(a, b);
  return typeof a === 'number' ? -1 : 1;
}

/** UTF-16 order differs only where surrogates meet units above them. */
export function compareCodePoints(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left === right) continue;
    const highLeft = left >= 0xd800 && left <= 0xdfff;
    const highRight = right >= 0xd800 && right <= 0xdfff;
    if (highLeft !== highRight) return highLeft ? 1 : -1;
    return left - right;
  }
  return a.length - b.length;
}
