// Any JSON value as a DSL query yields a plan of plain JSON or a ServiceError.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { caseCount } from '../../../test/support/case-count.ts';
import { planSearch, testContext } from '../../../test/support/query-context.ts';
import { ServiceError } from '../../errors.ts';
import { DEFAULT_LIMITS } from '../limits.ts';
import { parseSimpleQueryString } from './simple-query-string.ts';

const context = testContext();

const FIELDS = [
  ...['name', 'name.exact', 'id', 'created', 'accessCount', 'inactive', 'accounts.name', 'nope'],
  ...['_type', 'manager', 'attributes.*', 'attributes.city', 'access.type', '*', '', '__proto__'],
];
const name = fc.constantFrom(...FIELDS);
const scalar = fc.oneof(
  fc.constantFrom(
    ...['Ada Lovelace', 'a*', '2024-05', 'now-1d/d', '3', 'true', '', '[a-z]+', '"a'],
  ),
  fc.string({ unit: fc.constantFrom(...'ab +-|()"~*\\:@/^{}[]<>&#'), maxLength: 8 }),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
);
const parameter = fc.constantFrom(
  ...['value', 'query', 'boost', 'operator', 'minimum_should_match', 'fuzziness', 'flags', 'slop'],
  ...['gte', 'lt', 'from', 'time_zone', 'format', 'fields', 'type', 'case_insensitive', 'lenient'],
  ...['default_field', 'default_operator', 'max_expansions', 'zero_terms_query', 'nope'],
);
const parameters = fc.dictionary(
  parameter,
  fc.oneof(
    { weight: 4, arbitrary: scalar },
    { weight: 2, arbitrary: fc.constantFrom('and', 'AND', 'phrase', 'AUTO', '75%', 'UTC', 'all') },
    { weight: 1, arbitrary: fc.array(fc.oneof(name, scalar), { maxLength: 3 }) },
  ),
  { maxKeys: 4 },
);
const onField = (clause: string) =>
  fc
    .tuple(name, fc.oneof(scalar, parameters, fc.array(scalar, { maxLength: 3 })))
    .map(([field, value]) => ({ [clause]: { [field]: value } }));

const { clause } = fc.letrec<{ clause: unknown }>((tie) => ({
  clause: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(
      ...['term', 'terms', 'prefix', 'wildcard', 'regexp', 'fuzzy', 'range'].map(onField),
      ...['match', 'match_phrase', 'match_phrase_prefix'].map(onField),
    ),
    parameters.map((value) => ({ multi_match: value })),
    parameters.map((value) => ({ query_string: value })),
    parameters.map((value) => ({ simple_query_string: value })),
    name.map((field) => ({ exists: { field } })),
    fc.array(scalar, { maxLength: 3 }).map((values) => ({ ids: { values } })),
    fc
      .dictionary(
        fc.constantFrom('must', 'filter', 'should', 'must_not'),
        fc.oneof(tie('clause'), fc.array(tie('clause'), { maxLength: 3 })),
      )
      .chain((bool) =>
        fc
          .option(fc.constantFrom(0, 1, 2, -1, '50%', 'x'), { nil: undefined })
          .map((least) => ({ bool: { ...bool, minimum_should_match: least } })),
      ),
    fc
      .tuple(fc.constantFrom('accounts', 'access', 'nope'), tie('clause'))
      .map(([path, query]) => ({ nested: { path, query } })),
    tie('clause').map((filter) => ({ constant_score: { filter } })),
    fc.array(tie('clause'), { maxLength: 3 }).map((queries) => ({ dis_max: { queries } })),
    fc.constantFrom({ match_all: {} }, { match_none: {} }, { geo_shape: {} }),
    fc.jsonValue({ maxDepth: 3 }),
  ),
}));

function attempt(queryDsl: unknown): 'plan' | 'fault' {
  try {
    const plan = planSearch({ queryType: 'DSL', queryDsl }, {}, context);
    assert.deepEqual(JSON.parse(JSON.stringify(plan)), plan);
    return 'plan';
  } catch (error) {
    assert.ok(error instanceof ServiceError, `${JSON.stringify(queryDsl)}: ${String(error)}`);
    const { causes = [], offset } = error.details;
    // An error with an offset has a second cause that shows the place.
    assert.equal(causes.length, offset === undefined ? 1 : 2);
    assert.match(error.code, /^(request_invalid|query_malformed|limit_exceeded|body_malformed)$/);
    return 'fault';
  }
}

test('any JSON yields a plan or a ServiceError', () => {
  const seen = { plan: 0, fault: 0 };
  fc.assert(
    fc.property(clause, (queryDsl) => {
      seen[attempt(JSON.parse(JSON.stringify(queryDsl) ?? 'null'))] += 1;
    }),
    { numRuns: caseCount(800, 3000) },
  );
  const least = caseCount(50, 200);
  assert.ok(seen.plan > least && seen.fault > least, JSON.stringify(seen));
});

test('any text is a valid simple query string', () => {
  const text = fc.string({ unit: fc.constantFrom(...'ab1 +-|()"~*\\\u3000'), maxLength: 24 });
  fc.assert(
    fc.property(text, fc.constantFrom('and' as const, 'or' as const), (query, operator) => {
      parseSimpleQueryString(query, operator, DEFAULT_LIMITS);
    }),
    { numRuns: caseCount(800, 3000) },
  );
});
