// Types and functions shared by the readers of single aggregations. A reader validates a body once;
// the nodes it returns are resolved against each index.
// Invariant: nesting and count are checked while reading, so no body can exhaust the stack.

import type { Aggregation, Aggregations } from '../aggregation.ts';
import { invalid } from '../body.ts';
import type { Parameters } from '../dsl/dsl-parameters.ts';
import type { ClauseReader } from '../dsl/dsl-reader.ts';
import { limitFault } from '../limits.ts';
import type { Scope } from '../mapping/field-names.ts';
import type { AggregationTarget } from './aggregation-source.ts';

/** A parsed and validated aggregation, not yet resolved against an index. */
export interface AggregationNode {
  /** Type name in the request. */
  readonly type: string;
  readonly children: AggregationNodes;
  resolve(target: AggregationTarget): Aggregation;
}

export type AggregationNodes = ReadonlyMap<string, AggregationNode>;

/** Position of an aggregation in the request. */
export interface AggregationPlace {
  /** JSON path, for error messages. */
  readonly place: string;
  /** The rows it aggregates: documents, or nested elements of a path. */
  readonly scope: Scope;
  /** 1 for the outermost. */
  readonly depth: number;
  /** Type name of the parent aggregation; null at the top level. */
  readonly parent: string | null;
}

/** Reads one type of aggregation. */
export interface AggregationReader {
  readonly parameters: readonly string[];
  /** The scope of its sub-aggregations; present only if it differs from its own. */
  childScope?(parameters: Parameters, at: AggregationPlace): Scope;
  read(
    parameters: Parameters,
    at: AggregationPlace,
    tools: AggregationTools,
    children: AggregationNodes,
  ): (target: AggregationTarget, aggregations: Aggregations) => Aggregation;
}

/** Request-wide services for readers. */
export interface AggregationTools {
  readonly clauses: ClauseReader;
}

/** Enforces the limits on aggregations of a request. */
export class AggregationCounter implements AggregationTools {
  readonly clauses: ClauseReader;
  private count = 0;

  constructor(clauses: ClauseReader) {
    this.clauses = clauses;
  }

  /**
   * Counts and checks an aggregation.
   * @throws ServiceError `limit_exceeded`, `request_invalid`
   */
  enter(name: string, at: AggregationPlace): void {
    const { maxAggregationDepth, maxClauses } = this.clauses.limits;
    if (at.depth > maxAggregationDepth) {
      throw limitFault('maxAggregationDepth', maxAggregationDepth, 'levels of aggregations');
    }
    this.count += 1;
    if (this.count > maxClauses) {
      throw limitFault('maxClauses', maxClauses, 'aggregations in a request');
    }
    if (name === '' || /[[\]>]/.test(name)) {
      throw invalid(`${at.place}: a name must not be empty or contain [, ] or >`);
    }
    if (at.parent !== null && reservedNamesOf(at.parent).includes(name)) {
      const member = JSON.stringify(name);
      throw invalid(
        `${at.place}: ${member} is the name of a member of ${at.parent} buckets; choose another name`,
      );
    }
  }
}

const SINGLE_BUCKET_MEMBERS = ['doc_count'];
const KEYED_BUCKET_MEMBERS = ['key', 'key_as_string', 'doc_count'];
const RANGE_MEMBERS = [...KEYED_BUCKET_MEMBERS, 'from', 'from_as_string', 'to', 'to_as_string'];

/** Names that buckets of a type use themselves, so that no sub-aggregation may have them. */
function reservedNamesOf(type: string): readonly string[] {
  switch (type) {
    case 'terms':
    case 'histogram':
    case 'date_histogram':
    case 'composite':
      return KEYED_BUCKET_MEMBERS;
    case 'range':
    case 'date_range':
      return RANGE_MEMBERS;
    default:
      return SINGLE_BUCKET_MEMBERS;
  }
}

/** Resolves the aggregations of one level against an index. */
export function resolveAggregations(
  target: AggregationTarget,
  nodes: AggregationNodes,
): Aggregations {
  return Object.fromEntries([...nodes].map(([name, node]) => [name, node.resolve(target)]));
}

/** Reads a number, which may be sent as a string. */
export function numberParameter(parameters: Parameters, name: string): number | undefined {
  const text = parameters.text(name);
  if (text === undefined) return undefined;
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isFinite(value)) return value;
  throw invalid(`${parameters.pathOf(name)}: expected a number`);
}

/** Reads the required `field`. */
export function fieldParameter(parameters: Parameters): string {
  const name = parameters.required('field');
  if (typeof name === 'string' && name.trim() !== '') return name.trim();
  throw invalid(`${parameters.pathOf('field')}: expected the name of a field`);
}

/** Reads `missing`: the scalar that replaces missing values. */
export function missingParameter(parameters: Parameters): string | number | boolean | undefined {
  const value = parameters.get('missing');
  if (value === undefined) return undefined;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    return value;
  }
  throw invalid(`${parameters.pathOf('missing')}: expected a string, a number, true or false`);
}
