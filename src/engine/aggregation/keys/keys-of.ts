// Returns the keys of the values of a source.
import type { ValueSource } from '../../../query/aggregation.ts';
import type { IndexAggregation } from '../collecting/collector.ts';
import { flattenedKeys } from './flattened-keys.ts';
import {
  constantKeys,
  IdKeys,
  type IndexKeys,
  type KeyOptions,
  NumberKeys,
  noKeys,
} from './index-keys.ts';
import { type Rounding, UNROUNDED } from './rounded-ordinals.ts';
import { StringKeys } from './string-keys.ts';

export function keysOf(
  source: ValueSource,
  index: IndexAggregation,
  options: KeyOptions = {},
): IndexKeys {
  switch (source.kind) {
    case 'strings':
      return flattenedKeys(source, new StringKeys(source.field, options));
    case 'numbers':
      return roundedKeys(source, UNROUNDED, options);
    case 'id':
      return new IdKeys(index, options);
    case 'constant':
      return constantKeys(source.value, options);
    case 'none':
      return noKeys(options);
  }
}

/** Returns the rounded numbers of a source as keys. */
export function roundedKeys(
  source: ValueSource,
  rounding: Rounding,
  options: KeyOptions = {},
): IndexKeys {
  return flattenedKeys(source, new NumberKeys(source, rounding, options));
}
