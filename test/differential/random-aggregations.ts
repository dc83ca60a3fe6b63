// Random aggregations in both forms over the fields of mappings: trees of the DSL, chains of the
// vendor form.
import type { Field, Mapping } from '../../src/query/mapping/mapping.ts';
import type { Random } from './random.ts';
import { type Body, randomDsl } from './random-dsl.ts';
import { COMMON_KEYS, DATES, NUMBERS, randomKey } from './random-text.ts';

/** The field names that an aggregation of a level can use. */
interface Fields {
  readonly mapping: Mapping;
  readonly path: string | null;
  readonly any: readonly string[];
  readonly strings: readonly string[];
  readonly numbers: readonly string[];
  readonly dates: readonly string[];
}

const ZONES = [undefined, 'Z', 'Europe/Paris', 'America/New_York', '+05:30'];

/** A tree of aggregations in the DSL form. */
export function randomAggregations(random: Random, mappings: readonly Mapping[]): Body {
  return level(random, fieldsOf(random.pick(mappings), null), 1);
}

/** A chain of nested, filter, bucket and metric with inner aggregations, in the vendor form. */
export function randomVendorAggregations(random: Random, mapping: Mapping): Body {
  return vendorLevel(random, fieldsOf(mapping, null), 1);
}

/** At the root, includes fields below nested paths, which are flattened. */
function fieldsOf(mapping: Mapping, path: string | null): Fields {
  const fields = [...mapping.fields.values()].filter(
    (field) => path === null || field.nested === path,
  );
  const names = (fits: (field: Field) => boolean) => [
    ...fields.filter(fits).map((field) => field.path),
    'nothing',
  ];
  const isString = ({ type }: Field) => type === 'text' || type === 'keyword';
  const isDynamic = (field: Field) => field.dynamic && field.type === 'text';
  const shared = path === null ? ['_type', 'org', '_id'] : ['status', '_id'];
  return {
    mapping,
    path,
    any: [...names(() => true), ...shared],
    strings: names(isString),
    numbers: names((field) => !isString(field) || isDynamic(field)),
    dates: names((field) => field.type === 'date' || isDynamic(field)),
  };
}

function level(random: Random, fields: Fields, depth: number): Body {
  const names = ['a', 'b', 'the c'].slice(0, depth === 1 ? 1 + random.int(3) : 1 + random.int(2));
  return Object.fromEntries(names.map((name) => [name, one(random, fields, depth)]));
}

function one(random: Random, fields: Fields, depth: number): Body {
  if (depth === 5 || random.chance(0.25 + depth * 0.1)) return metric(random, fields);
  const { body, below } = bucket(random, fields, depth);
  if (random.chance(0.3)) return body;
  const aggs = level(
    random,
    below === fields.path ? fields : fieldsOf(fields.mapping, below),
    depth + 1,
  );
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

const METRICS: readonly string[] = [
  ...['avg', 'sum', 'min', 'max', 'stats', 'extended_stats', 'value_count', 'cardinality'],
  ...['percentiles', 'top_hits'],
];

function metric(random: Random, fields: Fields): Body {
  const type = random.pick(METRICS);
  if (type === 'value_count' || type === 'cardinality') {
    return { [type]: { field: random.pick(fields.any) } };
  }
  if (type === 'percentiles') {
    const percents = random.list(1, 3, () => random.int(101));
    const some = random.chance(0.5) ? {} : { percents };
    return { percentiles: { field: random.pick(fields.numbers), ...some } };
  }
  if (type === 'top_hits') {
    const key = {
      [random.pick([...fields.strings, ...fields.numbers])]: random.pick(['asc', 'desc']),
    };
    const sort = random.chance(0.5) ? { sort: [key] } : {};
    return { top_hits: { size: random.int(4), from: random.int(2), ...sort } };
  }
  const field = random.pick(fields.numbers);
  return { [type]: { field, ...someMissing(random, fields, field) } };
}

/** Sometimes a `missing` value. */
function someMissing(random: Random, { mapping, strings }: Fields, field: string): Body {
  if (!random.chance(0.2)) return {};
  if (strings.includes(field)) return { missing: random.pick(['zz', randomKey(random)]) };
  const type = mapping.fields.get(field)?.type;
  if (type === 'date') return { missing: random.pick(DATES) };
  return { missing: type === 'boolean' ? true : random.pick([0, 7, -3]) };
}

function bucket(
  random: Random,
  fields: Fields,
  depth: number,
): { readonly body: Body; readonly below: string | null } {
  const { path, mapping } = fields;
  const dice = random.int(13);
  const same = (body: Body) => ({ body, below: path });
  const query = () => randomDsl(random, mapping, path, 1);
  if (dice <= 2 && path === null) {
    const below = random.pick([...mapping.nestedPaths, ...mapping.nestedPaths, 'unknown']);
    return { body: { nested: { path: below } }, below };
  }
  if (dice <= 2) return { body: { reverse_nested: {} }, below: null };
  if (dice === 3) return same({ filter: query() });
  if (dice === 4) {
    const other = random.chance(0.5) ? { other_bucket: true } : {};
    const list = random.list(1, 3, query);
    const named = Object.fromEntries(list.map((each, at) => [`f${at}`, each]));
    return same({ filters: { filters: random.chance(0.5) ? list : named, ...other } });
  }
  if (dice === 5) return same({ missing: { field: random.pick(fields.any) } });
  if (dice === 6) {
    if (depth === 1 && random.chance(0.5)) return { body: { global: {} }, below: null };
    return same({ range: ranges(random, fields) });
  }
  if (dice === 7) return same({ histogram: histogram(random, fields) });
  if (dice === 8) return same({ date_histogram: dates(random, fields) });
  if (dice === 9) return same({ composite: composite(random, fields) });
  return same({ terms: terms(random, fields) });
}

function ranges(random: Random, fields: Fields): Body {
  const field = random.pick(fields.numbers);
  return {
    field,
    ...someMissing(random, fields, field),
    keyed: random.chance(0.5),
    ranges: random.list(1, 4, () => ({
      ...(random.chance(0.7) && { from: random.pick(NUMBERS) }),
      ...(random.chance(0.7) && { to: random.pick(NUMBERS) }),
    })),
  };
}

function histogram(random: Random, fields: Fields): Body {
  const { numbers, dates: instants } = fields;
  const field = random.pick(
    numbers.filter((name) => name === 'nothing' || !instants.includes(name)),
  );
  return {
    field,
    ...someMissing(random, fields, field),
    interval: random.pick([1, 2, 2.5]),
    offset: random.pick([0, 1, -0.5]),
    min_doc_count: random.pick([1, 2]),
  };
}

function dates(random: Random, fields: Fields): Body {
  const zone = random.pick(ZONES);
  const field = random.pick(fields.dates);
  const zoned = {
    ...(zone !== undefined && { time_zone: zone }),
    ...someMissing(random, fields, field),
  };
  if (random.chance(0.3) && (zone === undefined || zone === 'Z' || zone.startsWith('+'))) {
    return { field, fixed_interval: random.pick(['12h', '7d', '36h']), min_doc_count: 1, ...zoned };
  }
  const unit = random.pick(['year', 'quarter', 'month', 'week', 'day', 'hour']);
  const offset = random.chance(0.2) ? { offset: random.pick(['+6h', '-1d']) } : {};
  const minimum = unit === 'year' ? random.int(2) : 1;
  return { field, calendar_interval: unit, min_doc_count: minimum, ...zoned, ...offset };
}

function composite(random: Random, fields: Fields): Body {
  const sources = random.list(1, 3, (): Readonly<Record<string, Body>> => {
    const shared = { order: random.pick(['asc', 'desc']), missing_bucket: random.chance(0.5) };
    const dice = random.int(4);
    if (dice === 0) {
      const { min_doc_count: _, missing: __, ...body } = dates(random, fields);
      return { date_histogram: { ...body, ...shared } };
    }
    if (dice === 1) {
      return { histogram: { field: random.pick(fields.numbers), interval: 3, ...shared } };
    }
    return { terms: { field: random.pick(fields.any), ...shared } };
  });
  const named = sources.map((source, at) => ({ [`s${at}`]: source }));
  const size = 1 + random.int(12);
  const bodies = sources.flatMap((source): Body[] =>
    source['terms'] === undefined ? [] : [source['terms']],
  );
  const ofTexts = bodies.filter((body) => fields.strings.includes(String(body['field'])));
  if (ofTexts.length < sources.length || random.chance(0.5)) return { size, sources: named };
  const keys = ofTexts.map((body) =>
    body['missing_bucket'] === true && random.chance(0.3) ? null : randomKey(random),
  );
  const after = Object.fromEntries(keys.map((key, at) => [`s${at}`, key]));
  return { size, sources: named, after };
}

function terms(random: Random, fields: Fields): Body {
  const field = random.pick(fields.any);
  const body: Body = { field, size: 1 + random.int(12), ...someMissing(random, fields, field) };
  if (random.chance(0.4)) body['min_doc_count'] = random.int(4);
  if (random.chance(0.3)) {
    const direction = () => random.pick(['asc', 'desc']);
    const keys = [{ _count: direction() }, { _key: direction() }];
    body['order'] = keys.slice(0, 1 + random.int(2));
  }
  if (!fields.strings.includes(field)) return body;
  const keys = () => COMMON_KEYS.slice(random.int(3), 4);
  const listed = random.chance(0.5);
  if (random.chance(0.3)) body['include'] = listed ? keys() : random.pick(['[aA].*', '.*o.*']);
  if (random.chance(0.2)) body['exclude'] = listed ? keys() : '.*e';
  return body;
}

const VENDOR_METRICS = ['COUNT', 'UNIQUE_COUNT', 'AVG', 'SUM', 'MIN', 'MAX', 'MEDIAN'];

function vendorLevel(random: Random, fields: Fields, depth: number): Body {
  const body: Body = {};
  let inner = fields;
  if (fields.path === null && random.chance(0.4)) {
    const path = random.pick(fields.mapping.nestedPaths);
    body['nested'] = { name: `n${depth}`, type: path };
    inner = fieldsOf(fields.mapping, path);
  }
  if (random.chance(0.3)) {
    const field = random.pick(inner.strings);
    body['filter'] = { name: `f${depth}`, type: 'TERM', field, value: randomKey(random) };
  }
  if (random.chance(0.6)) {
    body['bucket'] = {
      ...{ name: `b${depth}`, type: 'TERMS', field: random.pick(inner.any) },
      ...(random.chance(0.5) ? { size: 1 + random.int(12), minDocCount: random.int(3) } : {}),
    };
  }
  if (random.chance(0.6) || Object.keys(body).length === 0) {
    const type = random.pick(VENDOR_METRICS);
    const field = random.pick(type.endsWith('COUNT') ? inner.any : inner.numbers);
    const implicit = inner.path === null && field.startsWith('accounts.') && random.chance(0.5);
    const sign = implicit ? '@' : '';
    body['metric'] = { name: `m${depth}`, type, field: `${sign}${field}` };
  }
  if (depth < 3 && random.chance(0.4)) {
    body['subAggregation'] = vendorLevel(random, inner, depth + 1);
  }
  return body;
}
