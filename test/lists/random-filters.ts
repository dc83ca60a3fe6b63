// Random filters of lists, and what they mean.
import { fold } from '../../src/query/analysis/fold.ts';
import type { Random } from '../differential/random.ts';
import { type Comparison, holds, type Listed, type NaiveList } from './naive-lists.ts';

/** What filters are made for. */
export interface FilterSource {
  readonly list: NaiveList;
  /** All objects of the list. */
  readonly objects: readonly Listed[];
  readonly random: Random;
}

const quoted = (value: string | boolean) =>
  typeof value === 'boolean' ? String(value) : JSON.stringify(value);

export function written({ field, operator, values }: Comparison): string {
  if (operator === 'isnull') return `${field} isnull`;
  if (operator === 'in') return `${field} in (${values.map(quoted).join(', ')})`;
  return `${field} ${operator} ${quoted(values[0] ?? '')}`;
}

/** The same text without case; a letter may have no other form, or one of two letters. */
function inAnotherCase(random: Random, text: string): string {
  const changed = [...text].map((letter) => {
    const other = random.pick([letter, letter.toUpperCase(), letter.toLowerCase()]);
    return fold(other) === fold(letter) ? other : letter;
  });
  return changed.join('');
}

function inUpperCase(value: string | boolean): string | boolean {
  if (typeof value === 'boolean') return value;
  const upper = value.toUpperCase();
  return fold(upper) === fold(value) ? upper : value;
}

/** A comparison with values that objects of the list have, mostly. */
export function randomComparison(
  { list, objects, random }: FilterSource,
  field: string,
): Comparison {
  const operator = random.pick(list.operators[field]?.split(' ') ?? []);
  const held = () => list.values[field]?.(random.pick(objects));
  const value = (): string | boolean => {
    const found = held();
    if (typeof found === 'boolean') return found;
    if (found === undefined) return ['created', 'modified'].includes(field) ? '2026-01-31' : 'x';
    const text = String(found);
    const part = operator === 'sw' ? text.slice(0, random.int(text.length + 1)) : text;
    return ['created', 'modified'].includes(field) ? part : inAnotherCase(random, part);
  };
  const flags = ['uncorrelated', 'correlated', 'hasEntitlements', 'manuallyCorrelated'];
  const isFlag = [...flags, 'protected', 'requestable', 'dimensional'].includes(field);
  const values =
    operator === 'isnull'
      ? []
      : Array.from({ length: operator === 'in' ? 1 + random.int(3) : 1 }, () =>
          isFlag ? random.chance(0.5) : value(),
        );
  return { field, operator, values };
}

/** A filter, and what it means. */
export interface RandomFilter {
  readonly text: string;
  /** The same with all operands in upper case, as far as they are the same without case. */
  readonly upper: string;
  readonly holds: (listed: Listed) => boolean;
}

/** @param depth of the joins */
export function randomFilter(source: FilterSource, depth: number): RandomFilter {
  const { list, random } = source;
  if (depth === 0 || random.chance(0.3)) {
    const comparison = randomComparison(source, random.pick(Object.keys(list.operators)));
    return {
      text: written(comparison),
      upper: written({ ...comparison, values: comparison.values.map(inUpperCase) }),
      holds: (each) => holds(comparison, list, each),
    };
  }
  const part = () => randomFilter(source, depth - 1);
  if (random.chance(0.25)) {
    const inner = part();
    const negated = (text: string) => `not (${text})`;
    return {
      text: negated(inner.text),
      upper: negated(inner.upper),
      holds: (each) => !inner.holds(each),
    };
  }
  const [one, other] = [part(), part()];
  const joins = random.chance(0.5) ? 'and' : 'or';
  return {
    text: `(${one.text} ${joins} ${other.text})`,
    upper: `(${one.upper} ${joins} ${other.upper})`,
    holds: (each) =>
      joins === 'and' ? one.holds(each) && other.holds(each) : one.holds(each) || other.holds(each),
  };
}

/** One sorter, or none. */
export function randomSorters({ list, random }: FilterSource): { readonly sorters?: string } {
  if (list.sorters.length === 0 || random.chance(0.5)) return {};
  return { sorters: `${random.chance(0.5) ? '-' : ''}${random.pick(list.sorters)}` };
}
