// Random request bodies of every query kind, with filters, sorting and paging, planned by
// src/query. An invalid body is replaced by another one.

import { ServiceError } from '../../src/errors.ts';
import type { Field, Mapping } from '../../src/query/mapping/mapping.ts';
import { NearestNames } from '../../src/query/mapping/nearest-name.ts';
import type { Plan } from '../../src/query/plan.ts';
import { DEFAULT_LIMITS, type PlanContext } from '../../src/query/requests/search-request.ts';
import { planAggregate, planCount, planSearch } from '../support/query-context.ts';
import type { Random } from './random.ts';
import { randomAggregations, randomVendorAggregations } from './random-aggregations.ts';
import { type Body, randomDsl } from './random-dsl.ts';
import { DATE_TEXTS, NOW, randomQueryText } from './random-query-text.ts';
import { NUMBERS, randomSought, randomWord } from './random-text.ts';

/** A plan and its request. */
export interface PlannedRequest {
  readonly plan: Plan;
  readonly request: Body;
}

/** A kind of request: how to create its body, and how to plan it. */
export type RequestKind =
  | 'sailpoint'
  | 'innerHit'
  | 'dsl'
  | 'text'
  | 'typeahead'
  | 'filters'
  | 'count'
  | 'aggregationsDsl'
  | 'aggregationsSailpoint';

const ATTEMPTS = 200;

/** @param mappings of the available indexes */
export function randomRequest(
  random: Random,
  kind: RequestKind,
  mappings: readonly Mapping[],
): PlannedRequest {
  const byIndex = new Map(mappings.map((mapping) => [mapping.index, mapping]));
  const context: PlanContext = {
    mapping: (index) => byIndex.get(index) ?? mappings[0]!,
    now: NOW,
    limits: DEFAULT_LIMITS,
    nearestNames: new NearestNames(),
  };
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const request = bodyOf(random, kind, mappings);
    const parameters = {
      ...(random.chance(0.3) ? { offset: String(random.int(4)) } : {}),
      limit: random.pick(['0', '1', '5', '1000', '1000']),
      count: random.pick(['true', 'false']),
    };
    try {
      return { plan: planned(kind, request, parameters, context), request };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
    }
  }
  throw new Error(`No sound ${kind} request in ${ATTEMPTS} attempts`);
}

function planned(
  kind: RequestKind,
  body: Body,
  parameters: Record<string, string>,
  context: PlanContext,
): Plan {
  if (kind === 'count') return planCount(body, context);
  if (kind === 'aggregationsDsl' || kind === 'aggregationsSailpoint') {
    return planAggregate(body, { ...parameters, limit: '0', offset: '0' }, context).plan;
  }
  return planSearch(body, parameters, context);
}

function bodyOf(random: Random, kind: RequestKind, mappings: readonly Mapping[]): Body {
  const indices = mappings.map(({ index }) => index);
  const mapping = random.pick(mappings);
  const filters = random.chance(kind === 'filters' ? 1 : 0.15) ? filtersOf(random, mapping) : {};
  const sort = random.chance(0.5)
    ? { sort: random.list(1, 3, () => sortText(random, mapping)) }
    : {};
  const base = { indices, filters, ...sort, includeNested: random.chance(0.8) };
  switch (kind) {
    case 'sailpoint':
      return { ...base, query: queryOf(random, mapping, 2) };
    case 'innerHit': {
      const type = random.pick(mapping.nestedPaths);
      const query = randomQueryText(random, mapping, type, 1);
      return { ...base, query: { ...queryOf(random, mapping, 1), innerHit: { type, query } } };
    }
    case 'dsl':
      return { ...base, queryType: 'DSL', queryDsl: randomDsl(random, mapping, null, 3) };
    case 'text':
      return { ...base, queryType: 'TEXT', textQuery: textQuery(random, mapping) };
    case 'typeahead':
      return { indices, filters, queryType: 'TYPEAHEAD', typeAheadQuery: typed(random, mapping) };
    case 'filters':
      return { ...base, query: { query: '*' } };
    case 'count': {
      const { sort: _, ...body } = bodyOf(
        random,
        random.pick(['sailpoint', 'innerHit', 'dsl', 'text', 'typeahead']),
        mappings,
      );
      return body;
    }
    case 'aggregationsDsl':
      return {
        ...aggregatedQuery(random, mapping, base),
        aggregationsDsl: randomAggregations(random, mappings),
      };
    case 'aggregationsSailpoint':
      return {
        ...aggregatedQuery(random, mapping, base),
        aggregationType: 'SAILPOINT',
        aggregations: randomVendorAggregations(random, mapping),
      };
  }
}

/** The query of an aggregation; mostly all documents. */
function aggregatedQuery(random: Random, mapping: Mapping, { sort: _, ...base }: Body): Body {
  if (random.chance(0.5)) return base;
  if (random.chance(0.5)) return { ...base, query: queryOf(random, mapping, 1) };
  return { ...base, queryType: 'DSL', queryDsl: randomDsl(random, mapping, null, 1) };
}

function queryOf(random: Random, mapping: Mapping, depth: number): Body {
  const names = [...mapping.fields.keys(), 'attributes.*', 'accounts.*', 'nothing'];
  return {
    query: random.chance(0.05) ? '*' : randomQueryText(random, mapping, null, depth),
    ...(random.chance(0.15) ? { fields: random.list(1, 3, () => random.pick(names)) } : {}),
    ...(random.chance(0.2) ? { timeZone: random.pick(['Europe/Paris', '+05:30']) } : {}),
  };
}

const isString = ({ type }: Field): boolean => type === 'text' || type === 'keyword';

function filtersOf(random: Random, mapping: Mapping): Body {
  const fields = random.list(1, 2, () => random.pick([...mapping.fields.values()]));
  return Object.fromEntries(
    fields.map((field) => {
      const name = field.path + (isString(field) && random.chance(0.2) ? '.exact' : '');
      return [name, { ...filterOf(random, field), exclude: random.chance(0.2) }];
    }),
  );
}

function filterOf(random: Random, field: Field): Body {
  const value = (): string => {
    if (field.type === 'boolean') return random.pick(['true', 'false']);
    if (field.type === 'date') return random.pick(DATE_TEXTS);
    return isString(field) ? randomSought(random) : String(random.pick(NUMBERS));
  };
  const dice = random.int(3);
  if (dice === 0) return { type: 'EXISTS' };
  if (dice === 1) return { type: 'TERMS', terms: random.list(1, 4, value) };
  const bound = () => ({ value: value(), inclusive: random.chance(0.5) });
  return {
    type: 'RANGE',
    range: { lower: bound(), ...(random.chance(0.5) && { upper: bound() }) },
  };
}

function sortText(random: Random, mapping: Mapping): string {
  const sign = random.pick(['', '-', '+']);
  if (random.chance(0.1)) return sign + random.pick(['_score', '_doc', 'org']);
  return sign + random.pick([...mapping.fields.keys()]);
}

function textQuery(random: Random, mapping: Mapping): Body {
  const fields = [...mapping.fields.values()];
  const name = () => {
    const field = random.pick(fields);
    return random.chance(0.1) ? 'attributes.*' : field.path + random.pick(['', '', '.exact']);
  };
  return {
    terms: random.list(1, 3, () => randomSought(random)),
    fields: random.list(1, 3, name),
    matchAny: random.chance(0.5),
    contains: random.chance(0.5),
  };
}

function typed(random: Random, mapping: Mapping): Body {
  const field = random.pick([...mapping.fields.values()].filter(isString));
  const nestedType =
    field.nested !== null && random.chance(0.5) ? { nestedType: field.nested } : {};
  const begun = [...random.pick([randomWord, randomSought])(random)];
  return {
    query: begun.slice(0, 1 + random.int(6)).join(''),
    field: field.path + random.pick(['', '', '', '.exact']),
    ...nestedType,
    maxExpansions: random.pick([1, 2, 3, 10, 1000]),
    size: random.pick([1, 3, 100]),
    sort: random.pick(['asc', 'desc']),
    sortByValue: random.chance(0.5),
  };
}
