// The parameters of single lists beside page, filters and sorters (collections.md section 3, and the
// public specification): which objects they leave, and how much of each is shown.
import { authorize, mayDo } from '../../auth/access.ts';
import type { Caller } from '../../auth/caller.ts';
import { invalid, oneOf } from '../../query/body.ts';
import { MATCH_ALL } from '../../query/build.ts';
import type { CollectionFilter } from '../../query/collections/collection-filter.ts';
import type { Query } from '../../query/query.ts';
import { both, either, exactly, negated } from './filter-query.ts';

/** Values of parameters by name. */
export type Values = Readonly<Record<string, string | undefined>>;

/** What parameters refer to. */
export interface Lookup {
  /** The ids of the segments that an identity sees. */
  visibleSegments(identityId: string): Promise<readonly string[]>;
  /** The entitlements of an account. */
  entitlementsOf(accountId: string): Promise<Query>;
}

/** Reads the parameters of one list. */
export interface ListParameters {
  readonly names: readonly string[];
  /** @throws ServiceError `forbidden`, `request_invalid`, `not_found` */
  read(values: Values, caller: Caller, lookup: Lookup): Promise<Restriction> | Restriction;
}

/** What parameters change of a list. */
export interface Restriction {
  /** Only these documents. */
  readonly only?: Query;
  /** Only what this comparison of the list holds for. */
  readonly comparison?: CollectionFilter;
  /** Whether accounts and public identities have their attributes; true if omitted. */
  readonly detail?: boolean;
}

const NONE: ListParameters = { names: [], read: () => ({}) };

const SEGMENTS = ['for-segment-ids', 'include-unsegmented'] as const;

const ACCESS_ITEMS: ListParameters = {
  names: ['for-subadmin', ...SEGMENTS],
  read(values) {
    refuseSubadmin(values);
    return { only: inSegments(values) };
  },
};

/** By area. */
export const LIST_PARAMETERS: Readonly<Record<string, ListParameters>> = {
  '/accounts': {
    names: ['detailLevel'],
    read: ({ detailLevel = 'FULL' }) => ({
      detail: oneOf('detailLevel', detailLevel, ['SLIM', 'FULL']) === 'FULL',
    }),
  },
  '/identities': {
    names: ['defaultFilter'],
    read({ defaultFilter = 'CORRELATED_ONLY' }) {
      // All identities that a search finds are correlated.
      oneOf('defaultFilter', defaultFilter, ['CORRELATED_ONLY', 'NONE']);
      return {};
    },
  },
  '/public-identities': {
    names: ['add-core-filters'],
    read: (values, caller) => ({
      ...(flagIn(values, 'add-core-filters', false) && { only: CORE }),
      detail: mayDo(caller, 'public-identity:attributes'),
    }),
  },
  '/roles': ACCESS_ITEMS,
  '/access-profiles': ACCESS_ITEMS,
  '/entitlements': {
    names: ['account-id', 'segmented-for-identity', ...SEGMENTS],
    read: entitlementsRead,
  },
  '/account-activities': {
    names: ['requested-for', 'requested-by', 'regarding-identity', 'type'],
    read: activitiesRead,
  },
};

/** The parameters of an area, of which it may have none of its own. */
export function parametersOf(area: string): ListParameters {
  return LIST_PARAMETERS[area] ?? NONE;
}

/** `for-subadmin`: the documents do not say what a sub-administrator may see. */
export function refuseSubadmin(values: Values): void {
  if (values['for-subadmin'] !== undefined) {
    throw invalid('for-subadmin: this service does not know sub-administrators; leave it out');
  }
}

/** @throws ServiceError `request_invalid` */
export function flagIn(values: Values, name: string, byDefault: boolean): boolean {
  const value = values[name];
  if (value === undefined) return byDefault;
  const word = value.toLowerCase();
  if (word !== 'true' && word !== 'false') throw invalid(`${name}: expected true or false`);
  return word === 'true';
}

async function entitlementsRead(values: Values, caller: Caller, lookup: Lookup) {
  const account = values['account-id'];
  const identity = values['segmented-for-identity'];
  const others = ['filters', 'segmented-for-identity', ...SEGMENTS];
  refuseTogether(values, 'account-id', others);
  refuseTogether(values, 'segmented-for-identity', ['for-segment-ids']);
  if (account !== undefined) authorize(caller, 'entitlement:of-account');
  if (account !== undefined) return { only: await lookup.entitlementsOf(account) };
  if (identity === undefined) return { only: inSegments(values) };
  const id = identityIn('segmented-for-identity', identity, caller);
  if (id !== caller.identityId) {
    throw invalid('segmented-for-identity: expected me, or the id of your own identity');
  }
  const segments = await lookup.visibleSegments(id);
  return { only: inSegments({ ...values, 'for-segment-ids': segments.join(',') }) };
}

function activitiesRead(values: Values, caller: Caller): Restriction {
  refuseTogether(values, 'regarding-identity', ['requested-for', 'requested-by']);
  const about = (name: string, paths: readonly string[]) => {
    const value = values[name];
    if (value === undefined) return MATCH_ALL;
    const id = identityIn(name, value, caller);
    return either(paths.map((path): Query => exactly(path, [id])));
  };
  const [recipient, requester] = ['recipient.id', 'requester.id'];
  const { type } = values;
  return {
    only: both([
      about('requested-for', [recipient]),
      about('requested-by', [requester]),
      about('regarding-identity', [recipient, requester]),
    ]),
    ...(type !== undefined && {
      comparison: { kind: 'compare', field: 'type', operator: 'eq', values: [type] },
    }),
  };
}

/** The identity that a parameter names; `me` is the caller. */
function identityIn(name: string, value: string, { identityId }: Caller): string {
  if (value !== 'me') return value;
  if (identityId === null) throw invalid(`${name}: me needs the token of a user`);
  return identityId;
}

/** Objects in some segments, and those in none. */
function inSegments(values: Values): Query {
  const unsegmented = flagIn(values, 'include-unsegmented', true);
  const list = values['for-segment-ids'];
  if (list === undefined) {
    if (!unsegmented) throw invalid('include-unsegmented: false needs for-segment-ids');
    return MATCH_ALL;
  }
  const ids = list.split(',').flatMap((id) => id.trim() || []);
  const inNone = negated(segments({ kind: 'exists', field: 'segments.id' }));
  const inSome = ids.length === 0 ? [] : [segments(exactly('segments.id', ids))];
  return either([...inSome, ...(unsegmented ? [inNone] : [])]);
}

function segments(query: Query): Query {
  return { kind: 'nested', path: 'segments', query, scoreMode: 'none' };
}

/** The identities of people: those with a login name, a last name and a mail address. */
const CORE: Query = both([
  negated(exactly('name', ['spadmin', 'cloudadmin'])),
  ...['attributes.uid', 'lastName', 'email'].map((field): Query => ({ kind: 'exists', field })),
]);

function refuseTogether(values: Values, name: string, others: readonly string[]): void {
  const other = others.find((each) => values[each] !== undefined);
  if (values[name] !== undefined && other !== undefined) {
    throw invalid(`${name}: not possible together with ${other}`);
  }
}
