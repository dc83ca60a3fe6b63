// Events that earlier versions recorded keep their names, since the trail is never rewritten. So a
// query of the index `events` for a whole name matches the events of the same act under its other
// name, too: for a former name those that have its new one, and the other way round.
import type { Aggregation, Aggregations } from '../aggregation.ts';
import { fold } from '../analysis/fold.ts';
import { bestOf } from '../build.ts';
import { CATCH_ALL, type Query } from '../query.ts';
import { mapParts } from '../query-parts.ts';
import {
  EVENT_NAMES,
  type EventName,
  type FormerName,
  type NameMember,
  ownAction,
} from './event-names.ts';
import type { ObservedMapping, Remark } from './field-names.ts';
import type { Mapping } from './mapping.ts';

const OPERATIONS = ['CREATE', 'MODIFY', 'DELETE'] as const;

/** Former objects of events of changes, and the objects of the acts that they became. */
const CHANGED = {
  PERSONAL_ACCESS_TOKEN: 'PERSONAL_ACCESS_TOKEN',
  API_CLIENT: 'API_CLIENT',
  SAVED_SEARCH: 'SAVED_SEARCH',
  SCHEDULED_SEARCH: 'SCHEDULED_SEARCH',
  USER: 'NE_USER',
  ROLE: 'NE_ROLE',
} as const;

/** Former names that the vendor's events have for changes of governed roles and of people. */
const VENDORS: readonly string[] = [
  'ROLE_CREATE_PASSED',
  'ROLE_DELETE_PASSED',
  'USER_DELETE_PASSED',
];

const technicalName = ({ object, operation }: Pick<EventName, 'object' | 'operation'>) =>
  `${object}_${operation}_PASSED`;

/** Every former name, in the order of docs/decisions/event-names.md. */
export const FORMER_NAMES: readonly FormerName[] = [
  renamed('action', 'RequestToken', [
    ...[EVENT_NAMES.USE_TOKEN.action, EVENT_NAMES.REFUSE_TOKEN.action],
    EVENT_NAMES.USE_CLIENT.action,
  ]),
  renamed('action', 'PatchAuthUser', [EVENT_NAMES.AUTH_USER_PATCH.action]),
  renamed('action', 'DeleteAuthUser', [EVENT_NAMES.AUTH_USER_DELETE.action]),
  ...Object.entries(CHANGED).flatMap(([object, now]) =>
    OPERATIONS.flatMap((operation) => {
      const name: EventName = EVENT_NAMES[`${now}_${operation}`];
      return [
        renamed('action', ownAction(operation, object), [name.action]),
        renamed('technicalName', technicalName({ object, operation }), [technicalName(name)]),
      ].filter(({ former, names }) => !names.includes(former));
    }),
  ),
];

function renamed(member: NameMember, former: string, names: readonly string[]): FormerName {
  return { member, former, names, isVendors: VENDORS.includes(former) };
}

/** What a query for a name matches as well. */
interface OtherNames {
  /** The name itself, as events spell it. */
  readonly name: string;
  readonly others: readonly string[];
  /** Present if the name itself is a former one. */
  readonly former?: FormerName;
}

/** By member and folded name. */
const OTHERS: Readonly<Record<NameMember, ReadonlyMap<string, OtherNames>>> = {
  action: othersOf('action'),
  technicalName: othersOf('technicalName'),
};

function othersOf(member: NameMember): ReadonlyMap<string, OtherNames> {
  const others = new Map<string, OtherNames>();
  for (const former of FORMER_NAMES) {
    if (former.member !== member || former.isVendors) continue;
    others.set(fold(former.former), { name: former.former, others: former.names, former });
    // One of many has no former name of its own.
    const [name = '', ...more] = former.names;
    if (more.length === 0) others.set(fold(name), { name, others: [former.former] });
  }
  return others;
}

const MEMBERS: Readonly<Record<string, readonly NameMember[]>> = {
  action: ['action'],
  technicalName: ['technicalName'],
  [CATCH_ALL]: ['action', 'technicalName'],
};

/** A query on the index of the mapping that matches events under all their names. */
export function withOtherNames(query: Query, mapping: Mapping | ObservedMapping): Query {
  return mapping.index === 'events' ? expanded(query, reporterOf(mapping)) : query;
}

/** As withOtherNames, for the queries of aggregations. */
export function aggregationsWithOtherNames(
  aggregations: Aggregations,
  mapping: Mapping | ObservedMapping,
): Aggregations {
  if (mapping.index !== 'events') return aggregations;
  const report = reporterOf(mapping);
  const all = (list: Aggregations): Aggregations =>
    Object.fromEntries(Object.entries(list).map(([name, aggregation]) => [name, one(aggregation)]));
  const one = (aggregation: Aggregation): Aggregation => {
    if (!('aggregations' in aggregation)) return aggregation;
    const outer = { ...aggregation, aggregations: all(aggregation.aggregations) };
    if (outer.kind === 'filter') return { ...outer, query: expanded(outer.query, report) };
    if (outer.kind !== 'filters') return outer;
    const filters = outer.filters.map(({ name, query }) => {
      return { name, query: expanded(query, report) };
    });
    return { ...outer, filters };
  };
  return all(aggregations);
}

/** Receives each former name in a query. */
type Report = (former: FormerName) => void;

function reporterOf(mapping: Mapping | ObservedMapping): Report {
  return (former) => {
    if ('listener' in mapping) mapping.listener.remark(remarkOn(former));
  };
}

function remarkOn({ member, former, names }: FormerName): Remark {
  const now = names.map((name) => `"${name}"`).join(', ');
  const text = `The ${member} "${former}" is ${now} since events have the public names; both are found`;
  return { field: member, nearest: names[0] ?? null, text };
}

function expanded(query: Query, report: Report): Query {
  if (query.kind === 'term') {
    const others = otherValues(query, query.value, report);
    return bestOf([query, ...others.map((value) => ({ ...query, value }))]);
  }
  if (query.kind === 'terms') {
    const others = query.values.flatMap((value) => otherValues(query, value, report));
    return others.length === 0
      ? query
      : { ...query, values: [...new Set([...query.values, ...others])] };
  }
  return mapParts(query, (part) => expanded(part.query, report));
}

/** The values that a field has instead of this one in other events of the same acts. */
function otherValues(
  { field, form }: Extract<Query, { readonly kind: 'term' | 'terms' }>,
  value: string,
  report: Report,
): readonly string[] {
  const members = Object.hasOwn(MEMBERS, field) ? (MEMBERS[field] ?? []) : [];
  return members.flatMap((member) => {
    const found = OTHERS[member].get(fold(value));
    if (found === undefined || (form === 'exact' && found.name !== value)) return [];
    if (found.former !== undefined) report(found.former);
    return form === 'exact' ? found.others : found.others.map(fold);
  });
}
