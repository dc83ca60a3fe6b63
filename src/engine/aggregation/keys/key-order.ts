// The order of keys: numbers before strings, strings by code points.
import { compareCodePoints } from '../../sections/utf8.ts';
import type { Key } from '../collecting/intermediate.ts';

export function compareKeys(a: Key, b: Key): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return compareCodePoints(a, b);
  return typeof a === 'number' ? -1 : 1;
}
