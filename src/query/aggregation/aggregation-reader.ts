// What the readers of single aggregations share. Reading checks a body once; what comes back is put to each index.
// Invariant: levels and aggregations are counted while reading, so no body can exhaust the stack.

import { invalid } from '../body.ts';
import type { Parameters } from '../dsl/dsl-parameters.ts';
import type { ClauseReader } from '../dsl/dsl-reader.ts';
import { limitFault } from '../limits.ts';
import type { Scope } from '../mapping/field-names.ts';
import type { Aggregation, Aggregations } from './aggregation.ts';
import type { AggregationTarget } from './aggregation-source.ts';

/** An aggregation that has been read and checked. */
export interface AggregationNode {
  /** The wire's name of its type. */
  readonly type: string;
  readonly children: AggregationNodes;
  on(target: AggregationTarget): Aggregation;
}

export type AggregationNodes = ReadonlyMap<string, AggregationNode>;

/** Where an aggregation stands. */
export interface AggregationPlace {
  /** JSON path, for faults. */
  readonly place: string;
  /** What its rows are: documents, or the elements below a path. */
  readonly scope: Scope;
  /** 1 for the outermost. */
  readonly depth: number;
  /** The type of the aggregation around it, as the wire names it; null at the top. */
  readonly parent: string | null;
}

/** How one type of aggregation is read. */
export interface AggregationReader {
  readonly parameters: readonly string[];
  /** What the rows of its buckets are, where that is not the same; null where it has no buckets. */
  childScope?(parameters: Parameters, at: AggregationPlace): Scope;
  read(
    parameters: Parameters,
    at: AggregationPlace,
    tools: AggregationTools,
    children: AggregationNodes,
  ): (target: AggregationTarget, aggregations: Aggregations) => Aggregation;
}

/** What readers need of the request around them. */
export interface AggregationTools {
  readonly clauses: ClauseReader;
}

/** Counts the aggregations of a request. */
export class AggregationCounter implements AggregationTools {
  readonly clauses: ClauseReader;
  private count = 0;

  constructor(clauses: ClauseReader) {
    this.clauses = clauses;
  }

  /** @throws ServiceError `limit_exceeded`, `request_invalid` */
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
      throw invalid(`${at.place}: a name must not be empty nor hold [, ] or >`);
    }
    if (at.parent !== null && membersOf(at.parent).includes(name)) {
      const member = JSON.stringify(name);
      throw invalid(
        `${at.place}: ${member} is a member that each bucket of ${at.parent} has itself; choose another name`,
      );
    }
  }
}

const SINGLE_BUCKET_MEMBERS = ['doc_count'];
const KEYED_BUCKET_MEMBERS = ['key', 'key_as_string', 'doc_count'];
const RANGE_MEMBERS = [...KEYED_BUCKET_MEMBERS, 'from', 'from_as_string', 'to', 'to_as_string'];

/** The members that the buckets of a type have beside the aggregations inside: none of these can be named so. */
function membersOf(type: string): readonly string[] {
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

/** The aggregations of a level put to an index. */
export function putTo(target: AggregationTarget, nodes: AggregationNodes): Aggregations {
  return Object.fromEntries([...nodes].map(([name, node]) => [name, node.on(target)]));
}

/** A number, perhaps written as a string. */
export function numberParameter(parameters: Parameters, name: string): number | undefined {
  const text = parameters.text(name);
  if (text === undefined) return undefined;
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isFinite(value)) return value;
  throw invalid(`${parameters.placeOf(name)}: expected a number`);
}

/** The name of a field, which must be there. */
export function fieldParameter(parameters: Parameters): string {
  const name = parameters.required('field');
  if (typeof name === 'string' && name.trim() !== '') return name.trim();
  throw invalid(`${parameters.placeOf('field')}: expected the name of a field`);
}

/** A scalar to stand for missing values. */
export function missingParameter(parameters: Parameters): string | number | boolean | undefined {
  const value = parameters.get('missing');
  if (value === undefined) return undefined;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    return value;
  }
  throw invalid(`${parameters.placeOf('missing')}: expected a string, a number, true or false`);
}
