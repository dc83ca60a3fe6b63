// Random bodies of aggregations, in the form of the DSL, over the fields of random-documents.ts.
import type { Random } from './random.ts';
import { KEYS, NUMBERS } from './random-documents.ts';

type Body = Record<string, unknown>;

interface Fields {
  readonly any: readonly string[];
  readonly numbers: readonly string[];
  readonly dates: readonly string[];
}

const ROOT: Fields = {
  any: [
    'status',
    'codes',
    'name',
    'tags.exact',
    'created',
    'count',
    'ratio',
    'active',
    'attributes.city',
    '_id',
    '_type',
    'org',
    'nothing',
    'accounts.name',
  ],
  numbers: ['count', 'ratio', 'active', 'attributes.level', 'attributes.end', 'created', 'nothing'],
  dates: ['created', 'attributes.end', 'nothing'],
};
const BELOW: Readonly<Record<string, Fields>> = {
  accounts: {
    any: [
      'accounts.id',
      'accounts.name',
      'accounts.source.name',
      'accounts.level',
      'accounts.disabled',
      'accounts.created',
      '_id',
      'status',
    ],
    numbers: ['accounts.level', 'accounts.disabled', 'accounts.created'],
    dates: ['accounts.created'],
  },
  apps: { any: ['apps.id', 'apps.name', '_id'], numbers: ['nothing'], dates: ['nothing'] },
  unknown: { any: ['unknown.x'], numbers: ['nothing'], dates: ['nothing'] },
};
const ZONES = [undefined, 'Z', 'Europe/Paris', 'America/New_York', '+05:30'];

/** A tree of aggregations. */
export function randomAggregations(random: Random): Body {
  return level(random, null, 1);
}

function level(random: Random, path: string | null, depth: number): Body {
  const names = ['a', 'b', 'the c'].slice(0, depth === 1 ? 1 + random.int(3) : 1 + random.int(2));
  return Object.fromEntries(names.map((name) => [name, one(random, path, depth)]));
}

function one(random: Random, path: string | null, depth: number): Body {
  const fields = path === null ? ROOT : (BELOW[path] ?? ROOT);
  if (depth === 5 || random.chance(0.25 + depth * 0.1)) return metric(random, fields);
  const { body, below } = bucket(random, fields, path, depth);
  if (random.chance(0.3)) return body;
  const aggs = level(random, below, depth + 1);
  const [[name, type]] = Object.entries(body) as [[string, Body]];
  if (['terms', 'histogram', 'date_histogram'].includes(name) && random.chance(0.3)) {
    const order = metricOrder(random, aggs);
    if (order !== null) return { [name]: { ...type, order }, aggs };
  }
  return { ...body, aggs };
}

function metricOrder(random: Random, aggs: Body): Body | null {
  const [[name, body]] = Object.entries(aggs) as [[string, Body]];
  const type = Object.keys(body)[0] ?? '';
  const direction = random.pick(['asc', 'desc']);
  if (['avg', 'sum', 'cardinality', 'value_count', 'filter', 'nested'].includes(type)) {
    return { [name]: direction };
  }
  return type === 'stats' ? { [`${name}.avg`]: direction } : null;
}

function metric(random: Random, fields: Fields): Body {
  const missingOf = (field: string): Body => {
    if (!random.chance(0.2)) return {};
    return { missing: /active|disabled/.test(field) ? true : random.pick([0, 7, -3]) };
  };
  const type = random.pick([
    'avg',
    'sum',
    'min',
    'max',
    'stats',
    'extended_stats',
    'value_count',
    'cardinality',
    'percentiles',
    'top_hits',
  ]);
  if (type === 'value_count' || type === 'cardinality') {
    return { [type]: { field: random.pick(fields.any) } };
  }
  if (type === 'percentiles') {
    const percents = random.chance(0.5)
      ? {}
      : { percents: random.list(1, 3, () => random.int(101)) };
    return { percentiles: { field: random.pick(fields.numbers), ...percents } };
  }
  if (type === 'top_hits') {
    const sort = random.chance(0.5)
      ? {
          sort: [
            {
              [random.pick(fields.any.filter((f) => f[0] !== '_' && f !== 'org'))]: random.pick([
                'asc',
                'desc',
              ]),
            },
          ],
        }
      : {};
    return { top_hits: { size: random.int(4), from: random.int(2), ...sort } };
  }
  const field = random.pick(fields.numbers);
  return { [type]: { field, ...missingOf(field) } };
}

function bucket(
  random: Random,
  fields: Fields,
  path: string | null,
  depth: number,
): { readonly body: Body; readonly below: string | null } {
  const dice = random.int(13);
  const same = (body: Body) => ({ body, below: path });
  if (dice === 0 && path === null) {
    const below = random.pick(['accounts', 'accounts', 'apps', 'unknown']);
    return { body: { nested: { path: below } }, below };
  }
  if (dice <= 2 && path === null) {
    const below = random.pick(['accounts', 'accounts', 'apps']);
    return { body: { nested: { path: below } }, below };
  }
  if (dice <= 2) return { body: { reverse_nested: {} }, below: null };
  if (dice === 3) return same({ filter: query(random, fields) });
  if (dice === 4) {
    const other = random.chance(0.5) ? { other_bucket: true } : {};
    const list = random.list(1, 3, () => query(random, fields));
    const named = Object.fromEntries(list.map((one, at) => [`f${at}`, one]));
    return same({ filters: { filters: random.chance(0.5) ? list : named, ...other } });
  }
  if (dice === 5) return same({ missing: { field: random.pick(fields.any) } });
  if (dice === 6) {
    if (depth === 1 && random.chance(0.5)) return { body: { global: {} }, below: null };
    return same({
      range: {
        field: random.pick(fields.numbers),
        keyed: random.chance(0.5),
        ranges: random.list(1, 4, () => ({
          ...(random.chance(0.7) && { from: random.pick(NUMBERS) }),
          ...(random.chance(0.7) && { to: random.pick(NUMBERS) }),
        })),
      },
    });
  }
  if (dice === 7) {
    return same({
      histogram: {
        field: random.pick(fields.numbers.filter((name) => !name.includes('created'))),
        interval: random.pick([1, 2, 2.5]),
        offset: random.pick([0, 1, -0.5]),
        min_doc_count: random.pick([1, 2]),
      },
    });
  }
  if (dice === 8) return same({ date_histogram: dates(random, fields) });
  if (dice === 9) return same({ composite: composite(random, fields) });
  return same({ terms: terms(random, fields) });
}

function dates(random: Random, fields: Fields): Body {
  const zone = random.pick(ZONES);
  const field = random.pick(fields.dates);
  const zoned = zone === undefined ? {} : { time_zone: zone };
  if (random.chance(0.3) && (zone === undefined || zone === 'Z' || zone.startsWith('+'))) {
    return { field, fixed_interval: random.pick(['12h', '7d', '36h']), min_doc_count: 1, ...zoned };
  }
  const unit = random.pick(['year', 'quarter', 'month', 'week', 'day', 'hour']);
  const offset = random.chance(0.2) ? { offset: random.pick(['+6h', '-1d']) } : {};
  const minimum = ['year', 'quarter', 'month', 'week'].includes(unit) ? random.int(2) : 1;
  return { field, calendar_interval: unit, min_doc_count: minimum, ...zoned, ...offset };
}

function composite(random: Random, fields: Fields): Body {
  const sources = random
    .list(1, 3, () => {
      const shared = { order: random.pick(['asc', 'desc']), missing_bucket: random.chance(0.5) };
      const dice = random.int(4);
      if (dice === 0) {
        return {
          date_histogram: { ...dates(random, fields), min_doc_count: undefined, ...shared },
        };
      }
      if (dice === 1)
        return { histogram: { field: random.pick(fields.numbers), interval: 3, ...shared } };
      return { terms: { field: random.pick(fields.any), ...shared } };
    })
    .map((source, at) => {
      const [[type, body]] = Object.entries(source) as [[string, Body]];
      const { min_doc_count, ...rest } = body;
      return { [`s${at}`]: { [type]: rest } };
    });
  return { size: 1 + random.int(12), sources };
}

function terms(random: Random, fields: Fields): Body {
  const body: Body = { field: random.pick(fields.any), size: 1 + random.int(12) };
  if (random.chance(0.4)) body['min_doc_count'] = random.int(4);
  if (random.chance(0.3)) {
    body['order'] = [
      { _count: random.pick(['asc', 'desc']) },
      { _key: random.pick(['asc', 'desc']) },
    ].slice(0, 1 + random.int(2));
  }
  const strings = ['status', 'codes', 'name', 'accounts.id', 'apps.id'].includes(
    String(body['field']),
  );
  if (strings && random.chance(0.3)) body['missing'] = random.pick(['zz', ...KEYS]);
  if (strings && random.chance(0.3))
    body['include'] = random.pick<unknown>(['[aA].*', '.*o.*', KEYS.slice(0, 3)]);
  if (strings && random.chance(0.2))
    body['exclude'] = random.pick<unknown>(['.*e', KEYS.slice(0, 2)]);
  const { include, exclude } = body;
  if (include !== undefined && exclude !== undefined && typeof include !== typeof exclude) {
    const { exclude: _, ...rest } = body;
    return rest;
  }
  return body;
}

function query(random: Random, fields: Fields): Body {
  const field = random.pick(
    fields.any.filter(
      (name) =>
        ![
          'created',
          'accounts.created',
          'count',
          'ratio',
          'active',
          'accounts.level',
          'accounts.disabled',
        ].includes(name),
    ),
  );
  const dice = random.int(5);
  if (dice === 0) return { match_all: {} };
  if (dice === 1) return { exists: { field: random.pick(fields.any) } };
  if (dice === 2) return { terms: { [field]: KEYS.slice(0, 4) } };
  if (dice === 3) return { bool: { must_not: [{ term: { [field]: random.pick(KEYS) } }] } };
  return { term: { [field]: random.pick(KEYS) } };
}
