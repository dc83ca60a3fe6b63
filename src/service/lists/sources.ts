// The sources that accounts, apps, access, entitlements, access profiles and identities name
// (collections.md section 3). No document is a source: they are counted by aggregations, so the list
// is as current as a search.
import type { Aggregation, ValueSource } from '../../query/aggregation.ts';
import { MATCH_ALL } from '../../query/build.ts';
import type { Plan } from '../../query/plan.ts';
import type { IndexName } from '../../query/query.ts';
import type { ReadOptions } from '../ports/search-backend.ts';
import type { VisibleIndexes } from '../views/visible-indexes.ts';
import { absent, date, type ListFields, text } from './list-field.ts';
import { compare } from './object-list.ts';
import { type Json, objectOf, objectsOf } from './shapes/members.ts';

/** The operators that most fields of sources have. */
const ORDER = 'ge gt ne isnull';

/** What sources can be filtered and sorted by; the documents have little of it. */
export const SOURCE_FIELDS: ListFields = {
  id: text('id', 'eq in ge gt le lt ne isnull sw', 'sorts'),
  name: text('name', 'co eq in sw ge gt ne isnull', 'sorts'),
  type: text('type', 'eq in ge gt ne isnull sw', 'sorts'),
  'owner.id': absent('text', 'eq in ge gt le lt ne isnull sw', 'sorts'),
  'owner.name': absent('text', '', 'sorts'),
  features: absent('list', 'ca co'),
  created: date('created', `eq in le lt sw ${ORDER}`, 'sorts'),
  modified: date('modified', `eq in le lt sw ${ORDER}`, 'sorts'),
  'managementWorkgroup.id': absent('text', `eq in le lt sw ${ORDER}`, 'sorts'),
  description: absent('text', 'eq sw', 'sorts'),
  authoritative: absent('flag', 'eq ne isnull', 'sorts'),
  healthy: absent('flag', 'isnull', 'sorts'),
  status: absent('text', `eq in le lt sw ${ORDER}`, 'sorts'),
  connectionType: absent('text', `eq in le lt sw ${ORDER}`, 'sorts'),
  connectorName: absent('text', `eq in sw ${ORDER}`, 'sorts'),
  category: absent('text', 'co eq ge gt in le lt ne sw'),
  'accountCorrelationConfig.id': absent('text', '', 'sorts'),
  'accountCorrelationConfig.name': absent('text', '', 'sorts'),
  'managerCorrelationRule.type': absent('text', '', 'sorts'),
  'managerCorrelationRule.id': absent('text', '', 'sorts'),
  'managerCorrelationRule.name': absent('text', '', 'sorts'),
};

/** Most sources of a tenant that are listed. */
const SOURCES_MAX = 5_000;

/** Where documents name sources: the member that has their id and name. */
const PLACES: Readonly<
  Partial<Record<IndexName, readonly { readonly path: string | null; readonly at: string }[]>>
> = {
  identities: [
    { path: null, at: 'source' },
    { path: 'accounts', at: 'accounts.source' },
    { path: 'apps', at: 'apps.source' },
    { path: 'access', at: 'access.source' },
  ],
  entitlements: [{ path: null, at: 'source' }],
  accessprofiles: [{ path: null, at: 'source' }],
};

/** All sources that visible documents name, by id. */
export async function readSources(
  indexes: Pick<VisibleIndexes, 'search'>,
  options: ReadOptions,
  maxBuckets: number,
): Promise<readonly Json[]> {
  const sources = new Map<string, Found>();
  for (const index of Object.keys(PLACES) as IndexName[]) {
    const places = PLACES[index] ?? [];
    const { aggregations } = await indexes.search(planOf(index, maxBuckets), options);
    const answer = objectOf(aggregations?.value());
    for (const [at, { path }] of places.entries()) {
      const place = objectOf(answer[`at${at}`]);
      const ids = objectOf(path === null ? place : place['ids'])['buckets'];
      const isAuthoritative = index === 'identities' && path === null;
      for (const bucket of objectsOf(ids)) addTo(sources, bucket, isAuthoritative);
    }
  }
  return [...sources.values()].sort((one, other) => compare(one.id, other.id, 'asc')).map(shapeOf);
}

interface Found {
  readonly id: string;
  name: string | null;
  type: string | null;
  isAuthoritative: boolean;
}

function addTo(sources: Map<string, Found>, bucket: Json, isAuthoritative: boolean): void {
  const id = String(bucket['key']);
  const found = sources.get(id) ?? { id, name: null, type: null, isAuthoritative: false };
  found.name ??= firstKey(bucket['name']);
  found.type ??= firstKey(bucket['type']);
  found.isAuthoritative ||= isAuthoritative;
  sources.set(id, found);
}

function firstKey(terms: unknown): string | null {
  const [first] = objectsOf(objectOf(terms)['buckets']);
  return first === undefined ? null : String(first['key']);
}

/** SDKs refuse a source without a name or connector: see docs/differences.md. */
function shapeOf({ id, name, type, isAuthoritative }: Found): Json {
  return {
    id,
    name: name ?? id,
    owner: null,
    ...(type !== null && { type }),
    connector: type === null ? '' : type.toLowerCase().replace(/[^a-z0-9]+/g, '-'),
    authoritative: isAuthoritative,
  };
}

function planOf(index: IndexName, maxBuckets: number): Plan {
  const aggregations = Object.fromEntries(
    (PLACES[index] ?? []).map(({ path, at }, n) => {
      const ids = idsAt(at);
      const place: Aggregation =
        path === null ? ids : { kind: 'nested', path, aggregations: { ids } };
      return [`at${n}`, place];
    }),
  );
  return {
    targets: [{ index, query: MATCH_ALL, aggregations }],
    sort: [],
    from: 0,
    size: 0,
    trackTotal: false,
    source: { includes: [], excludes: [], nested: false },
    maxBuckets,
  };
}

/** The ids, each with its most frequent name and type. */
function idsAt(at: string): Aggregation {
  const first = (source: ValueSource): Aggregation => ({ ...TERMS, source, size: 1 });
  return {
    ...TERMS,
    source: { kind: 'strings', field: `${at}.id` },
    size: SOURCES_MAX,
    aggregations: {
      name: first({ kind: 'strings', field: `${at}.name` }),
      // Elsewhere the type of a reference says only that it is one to a source.
      type: first(
        at === 'accounts.source' ? { kind: 'strings', field: `${at}.type` } : { kind: 'none' },
      ),
    },
  };
}

const TERMS = {
  kind: 'terms',
  minDocCount: 1,
  order: [{ by: 'count', order: 'desc' }],
  aggregations: {},
} as const;
