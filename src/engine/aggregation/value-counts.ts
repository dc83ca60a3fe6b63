// How many values a row has, where it does not matter which.
import type { ValueSource } from '../../query/aggregation.ts';
import type { NumberIndex } from '../index/segment.ts';
import type { SegmentPlace } from './collector.ts';

/** By row. */
export type ValueCounter = (row: number) => number;

export function valueCounter(source: ValueSource, { table }: SegmentPlace): ValueCounter {
  switch (source.kind) {
    case 'strings': {
      const values = table?.values(source.field);
      if (values === undefined) return none;
      const { ords, ordStart } = values;
      return ordStart === null ? (row) => (ords[row]! < 0 ? 0 : 1) : spans(ordStart);
    }
    case 'numbers':
      return numberCounter(table?.numbers(source.field, source.column));
    case 'id':
    case 'constant':
      return () => 1;
    case 'none':
      return none;
  }
}

function numberCounter(numbers: NumberIndex | undefined): ValueCounter {
  if (numbers === undefined) return none;
  const { values, start } = numbers;
  return start === null ? (row) => (Number.isNaN(values[row]!) ? 0 : 1) : spans(start);
}

function spans(start: Uint32Array): ValueCounter {
  return (row) => start[row + 1]! - start[row]!;
}

function none(): number {
  return 0;
}
