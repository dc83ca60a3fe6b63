// What the name of a field in an aggregation stands for on one index: the column that is read. At the root a field below
// a nested path is flattened, as in queries: a document has the values of all its elements. A name that an index does not
// know, or that is out of sight inside `nested`, has no values there. A field of the wrong type is a fault only where no other
// of the requested indices can do it.

import { invalid } from '../body.ts';
import { parseDate } from '../dates/dates.ts';
import { UTC } from '../dates/time-zone.ts';
import type { ClauseReader } from '../dsl/dsl-reader.ts';
import { DslTarget } from '../dsl/dsl-target.ts';
import { booleanOf, numberOf } from '../language/field-query.ts';
import type { QueryLimits } from '../limits.ts';
import type { Scope } from '../mapping/field-names.ts';
import type { Field, Mapping } from '../mapping/mapping.ts';
import type { Flattened, MissingValue, ValueSource } from './aggregation.ts';

/** Which values an aggregation can work with. */
export type Wanted = 'any' | 'number' | 'date';

const NONE: ValueSource = { kind: 'none' };

/** One index that aggregations are put to. */
export class AggregationTarget {
  readonly dsl: DslTarget;
  readonly fits: FieldFits;

  constructor(mapping: Mapping, limits: QueryLimits, fits: FieldFits) {
    this.dsl = new DslTarget(mapping, limits);
    this.fits = fits;
  }

  get mapping(): Mapping {
    return this.dsl.names.mapping;
  }

  /** @param place where the name stands */
  source(name: string, wanted: Wanted, scope: Scope, place: string): ValueSource {
    if (name === '_id') return wanted === 'any' ? { kind: 'id' } : this.misfit(place, name, wanted);
    const operand = this.dsl.names.find(name, scope);
    if (operand === undefined) return NONE;
    if (operand.kind === 'constant') {
      if (wanted !== 'any') return this.misfit(place, name, wanted);
      return { kind: 'constant', value: operand.value };
    }
    const { field } = operand;
    const source = sourceOf(field, wanted);
    if (source === null) return this.misfit(place, name, wanted);
    this.fits.fit(place);
    return { ...source, ...flattened(field, scope) };
  }

  private misfit(place: string, name: string, wanted: Wanted): ValueSource {
    this.fits.misfit(place, `${name.slice(0, 100)} holds no ${wanted}s`);
    return NONE;
  }
}

/** Over all indices of a request: which fields could be read as wanted somewhere. */
export class FieldFits {
  private readonly fitting = new Set<string>();
  private readonly problems = new Map<string, string>();

  fit(place: string): void {
    this.fitting.add(place);
  }

  misfit(place: string, problem: string): void {
    this.problems.set(place, problem);
  }

  /** @throws ServiceError `request_invalid` for a field that no index could read */
  check(): void {
    for (const [place, problem] of this.problems) {
      if (!this.fitting.has(place)) throw invalid(`${place}: ${problem}`);
    }
  }
}

/** The replacement for missing values as values of a source have it. */
export function missingFor(
  source: ValueSource,
  text: string | number | boolean,
  place: string,
  reader: ClauseReader,
): MissingValue {
  if (source.kind === 'none') return typeof text === 'boolean' ? Number(text) : text;
  if (source.kind !== 'numbers') return String(text);
  const value =
    source.type === 'date'
      ? parseDate(String(text), { now: reader.now, zone: UTC })?.first
      : source.type === 'boolean'
        ? booleanOf(text === 1 ? 'true' : text === 0 ? 'false' : String(text))
        : numberOf(String(text));
  if (value !== undefined) return value;
  throw invalid(`${place}: ${JSON.stringify(String(text).slice(0, 60))} is no ${source.type}`);
}

/** The mark of a field that is read from the elements of a document. */
export function flattened({ nested }: Field, scope: Scope): Flattened {
  return nested === null || scope.nested !== null ? {} : { nestedPath: nested };
}

type FieldSource = Extract<ValueSource, { readonly field: string }>;

function sourceOf(field: Field, wanted: Wanted): FieldSource | null {
  const { path, type } = field;
  if (type === 'text' || type === 'keyword') {
    if (wanted === 'any') return { kind: 'strings', field: path };
    if (!field.dynamic || type !== 'text') return null;
    return wanted === 'date'
      ? { kind: 'numbers', field: path, column: 'date', type: 'date' }
      : { kind: 'numbers', field: path, column: 'number', type: 'double' };
  }
  if (wanted === 'date' && type !== 'date') return null;
  return { kind: 'numbers', field: path, column: 'value', type };
}
