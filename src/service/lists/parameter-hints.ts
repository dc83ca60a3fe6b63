// What to send instead of a query parameter that a list or search does not have. Each recommendation is
// made from the table that serves the request, so it is never refused.

import {
  type CollectionForm,
  exampleFilter,
  exampleSorters,
  filterOn,
} from '../../query/collections/collection-form.ts';
import { LIST_PAGE } from '../../query/collections/collection-page.ts';
import { foldedName, misplacedParameter } from '../../query/mapping/misplaced-members.ts';
import { nearestName } from '../../query/mapping/nearest-name.ts';
import { type Meaning, meaningOf } from '../../query/mapping/parameter-words.ts';

export type { CollectionForm } from '../../query/collections/collection-form.ts';

/** Lists of the public API, those of profile management, and searches. */
export type Family = 'isc' | 'nerm' | 'search';

/** Longer names have no hint. */
const NAME_MAX = 60;

/** What a route reads, as far as hints need it. */
export interface KnownParameters {
  /** All parameters. */
  readonly names: readonly string[];
  /** Of a list of the public API: its filters, sorters and largest page. */
  readonly form?: CollectionForm | undefined;
  /** Of a list of profile management: the values of `order`. */
  readonly orders?: readonly string[];
  /** Whether the attributes of the tenant are parameters, too. */
  readonly isOpen?: boolean;
}

/** What to send for a meaning; null: the route does not have it. */
type Mends = (meaning: Meaning, known: KnownParameters) => string | null;

/** Of lists of the public API. */
const ofPublicList: Mends = (meaning, { names, form }) => {
  const named = (parameter: string, send: string | null) =>
    names.includes(parameter) ? send : null;
  const such = (parameter: string, example: string | null) =>
    form !== undefined && example === null
      ? null
      : named(
          parameter,
          example === null ? parameter : `${parameter}, such as ${parameter}=${example}`,
        );
  switch (meaning) {
    case 'filters':
    case 'query':
      return such('filters', form === undefined ? null : exampleFilter(form));
    case 'order':
      return such('sorters', form === undefined ? null : exampleSorters(form));
    case 'limit':
      return such('limit', String(form?.limitMax ?? LIST_PAGE.most));
    case 'offset':
    case 'page':
      return named('offset', 'offset, the number of records to skip');
    case 'count':
      return named('count', 'count=true');
  }
};

/** Of lists of profile management. */
const ofProfileList: Mends = (meaning, { names, orders = [] }) => {
  const attribute = names.includes('name') ? 'name=Ada' : 'uid=ada';
  const order = orders.includes('name') ? 'name' : 'created_at';
  switch (meaning) {
    case 'filters':
    case 'query':
      return names.includes('id') ? `each attribute by its name, such as ${attribute}` : null;
    case 'order':
      return names.includes('order') ? `order, such as order=${order}, which is ascending` : null;
    case 'limit':
      return names.includes('limit') ? 'limit, such as limit=100' : null;
    case 'offset':
    case 'page':
      return names.includes('offset') ? 'offset, the number of records to skip' : null;
    case 'count':
      return names.includes('metadata') ? 'metadata=true' : null;
  }
};

/** `filter[name]`, `attributes.name`: the name inside. */
const INNER = /^\w+(?:\[(\w+)\]|\.(\w+))$/;

/** What to send instead of a parameter; null if nothing is known of it. */
export function mendOf(name: string, known: KnownParameters, family: Family): string | null {
  if (name.length > NAME_MAX) return null;
  if (family === 'search') return misplacedParameter(name)?.send ?? nearestName(name, known.names);
  const folded = foldedName(name);
  const same = known.names.find((one) => foldedName(one) === folded);
  if (same !== undefined) return same;
  const [, bracketed, dotted] = INNER.exec(name) ?? [];
  const inner = bracketed ?? dotted;
  if (inner !== undefined && family === 'nerm') {
    return known.isOpen === true || known.names.includes(inner) ? `${inner}=...` : null;
  }
  const meaning = meaningOf(folded);
  if (meaning !== null) {
    return family === 'nerm' ? ofProfileList(meaning, known) : ofPublicList(meaning, known);
  }
  const near = nearestName(name, known.names);
  if (near !== null || family === 'nerm') return near;
  const filter =
    known.form === undefined || !known.names.includes('filters')
      ? null
      : filterOn(known.form, bracketed ?? name);
  return filter === null ? null : `filters=${filter}`;
}
