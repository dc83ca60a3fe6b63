// Resolves the field name of an aggregation against one index to the column to read. At the root a
// field below a nested path is flattened, as in queries: a document has the values of all its
// elements. A name that the index does not have, or that is out of scope inside `nested`, has no
// values. A field of the wrong type is an error only if no other requested index has a suitable
// one.

import type { Flattened, MissingValue, ValueSource } from '../aggregation.ts';
import { invalid } from '../body.ts';
import { parseDate } from '../dates/dates.ts';
import { UTC } from '../dates/time-zone.ts';
import type { ClauseReader } from '../dsl/dsl-reader.ts';
import { DslTarget } from '../dsl/dsl-target.ts';
import { booleanOf, numberOf } from '../language/field-query.ts';
import type { QueryLimits } from '../limits.ts';
import { ROOT, type Scope } from '../mapping/field-names.ts';
import type { Field, Mapping } from '../mapping/mapping.ts';

/** Types of values that an aggregation accepts. */
export type AcceptedValues = 'any' | 'number' | 'date';

const NONE: ValueSource = { kind: 'none' };

/** One index that aggregations are resolved against. */
export class AggregationTarget {
  readonly dsl: DslTarget;
  readonly typeCheck: FieldTypeCheck;

  constructor(mapping: Mapping, limits: QueryLimits, typeCheck: FieldTypeCheck) {
    this.dsl = new DslTarget(mapping, limits);
    this.typeCheck = typeCheck;
  }

  get mapping(): Mapping {
    return this.dsl.names.mapping;
  }

  /**
   * Resolves a field name.
   * @param place JSON path of the name
   */
  source(name: string, accepted: AcceptedValues, scope: Scope, place: string): ValueSource {
    if (name === '_id')
      return accepted === 'any' ? { kind: 'id' } : this.reject(place, name, accepted);
    const operand = this.dsl.names.find(name, scope);
    if (operand === undefined) return NONE;
    if (operand.kind === 'constant') {
      if (accepted !== 'any') return this.reject(place, name, accepted);
      return { kind: 'constant', value: operand.value };
    }
    const { field } = operand;
    const source = sourceOf(field, accepted);
    if (source === null) return this.reject(place, name, accepted);
    this.typeCheck.accept(place);
    return { ...source, ...flattened(field, scope) };
  }

  private reject(place: string, name: string, accepted: AcceptedValues): ValueSource {
    this.typeCheck.reject(place, `${name.slice(0, 100)} holds no ${accepted}s`);
    return NONE;
  }
}

/** Collects, over all indices of a request, which fields have a suitable type in at least one. */
export class FieldTypeCheck {
  private readonly accepted = new Set<string>();
  private readonly problems = new Map<string, string>();

  accept(place: string): void {
    this.accepted.add(place);
  }

  reject(place: string, problem: string): void {
    this.problems.set(place, problem);
  }

  /** @throws ServiceError `request_invalid` for a field that has no suitable type in any index */
  check(): void {
    for (const [place, problem] of this.problems) {
      if (!this.accepted.has(place)) throw invalid(`${place}: ${problem}`);
    }
  }
}

/** Converts the `missing` parameter to a value of the source. */
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
  throw invalid(`${place}: ${JSON.stringify(String(text).slice(0, 60))} is not a ${source.type}`);
}

/** The `nestedPath` of a field that documents read from their nested elements. */
export function flattened({ nested }: Field, scope: Scope): Flattened {
  return nested === null || scope.nested !== null ? {} : { nestedPath: nested };
}

/** All values of a field in a document, below a nested path those of all elements. */
export function valuesOf(field: Field): ValueSource {
  return { ...(sourceOf(field, 'any') ?? NONE), ...flattened(field, ROOT) };
}

type FieldSource = Extract<ValueSource, { readonly field: string }>;

function sourceOf(field: Field, accepted: AcceptedValues): FieldSource | null {
  const { path, type } = field;
  if (type === 'text' || type === 'keyword') {
    if (accepted === 'any') return { kind: 'strings', field: path };
    if (!field.dynamic || type !== 'text') return null;
    return accepted === 'date'
      ? { kind: 'numbers', field: path, column: 'date', type: 'date' }
      : { kind: 'numbers', field: path, column: 'number', type: 'double' };
  }
  if (accepted === 'date' && type !== 'date') return null;
  return { kind: 'numbers', field: path, column: 'value', type };
}
