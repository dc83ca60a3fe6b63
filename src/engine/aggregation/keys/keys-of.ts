// Which keys a source of values makes, each value its own.
import type { ValueSource } from '../../../query/aggregation/aggregation.ts';
import type { IndexAggregation } from '../collector.ts';
import { flattenedKeys } from './flattened-keys.ts';
import {
  constantKeys,
  IdKeys,
  type IndexKeys,
  type KeyOptions,
  NumberKeys,
  noKeys,
} from './index-keys.ts';
import { AS_IT_IS, type Rounding } from './rounded-ordinals.ts';
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
      return roundedKeys(source, AS_IT_IS, options);
    case 'id':
      return new IdKeys(index, options);
    case 'constant':
      return constantKeys(source.value, options);
    case 'none':
      return noKeys(options);
  }
}

/** The keys that a rounding makes of the numbers of a source. */
export function roundedKeys(
  source: ValueSource,
  rounding: Rounding,
  options: KeyOptions = {},
): IndexKeys {
  return flattenedKeys(source, new NumberKeys(source, rounding, options));
}
