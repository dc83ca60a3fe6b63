// Rejected DSL clauses, one per row, with the error code and the message, which names the place.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planSearch, testContext } from '../../../test/support/query-context.ts';
import { ServiceError } from '../../errors.ts';

const FAULTS: readonly (readonly [clause: string, code: string, cause: string])[] = [
  ['{}', 'request_invalid', 'queryDsl: expected exactly one query clause, found none'],
  [
    '{"match":{},"term":{}}',
    'request_invalid',
    'queryDsl: expected exactly one query clause, found match, term',
  ],
  ['{"geo_distance":{}}', 'request_invalid', 'queryDsl.geo_distance: is not supported'],
  [
    '{"bool":{"must":[{"match_all":{}},{"geo_distance":{"x":1}}]}}',
    'request_invalid',
    'queryDsl.bool.must[1].geo_distance: is not supported',
  ],
  ['{"script":{"script":"x"}}', 'request_invalid', 'queryDsl.script: is not supported'],
  ['{"function_score":{}}', 'request_invalid', 'queryDsl.function_score: is not supported'],
  ['{"more_like_this":{}}', 'request_invalid', 'queryDsl.more_like_this: is not supported'],
  ['{"wrapper":{}}', 'request_invalid', 'queryDsl.wrapper: is not supported'],
  ['{"percolate":{}}', 'request_invalid', 'queryDsl.percolate: is not supported'],
  ['{"has_child":{}}', 'request_invalid', 'queryDsl.has_child: is not supported'],
  ['{"term":"x"}', 'request_invalid', 'queryDsl.term: expected an object'],
  ['{"term":{}}', 'request_invalid', 'queryDsl.term: expected the name of one field, found none'],
  [
    '{"term":{"a":1,"b":2}}',
    'request_invalid',
    'queryDsl.term: expected the name of one field, found a, b',
  ],
  [
    '{"term":{"name":{"value":"a","foo":1}}}',
    'request_invalid',
    'queryDsl.term.name.foo: unknown parameter, expected value, boost, case_insensitive',
  ],
  [
    '{"term":{"name":["a"]}}',
    'request_invalid',
    'queryDsl.term.name: expected a string, a number, true or false',
  ],
  ['{"term":{"name":null}}', 'request_invalid', 'queryDsl.term.name: needs value'],
  ['{"term":{"name":{}}}', 'request_invalid', 'queryDsl.term.name: needs value'],
  [
    '{"term":{"accessCount":"x"}}',
    'request_invalid',
    'queryDsl.term.accessCount: "x" is not what the field accessCount holds, expected a number',
  ],
  [
    '{"term":{"created":"foo"}}',
    'request_invalid',
    'queryDsl.term.created: "foo" is not what the field created holds, expected a date like 2024-05-01, 2024-05-01T10:00:00Z or now-7d/d',
  ],
  [
    '{"term":{"inactive":"maybe"}}',
    'request_invalid',
    'queryDsl.term.inactive: "maybe" is not what the field inactive holds, expected true or false',
  ],
  [
    '{"term":{"name":{"value":"a","boost":-1}}}',
    'request_invalid',
    'queryDsl.term.name.boost: expected a number of 0 or more',
  ],
  [
    '{"term":{"name":{"value":"a","case_insensitive":3}}}',
    'request_invalid',
    'queryDsl.term.name.case_insensitive: expected true or false',
  ],
  ['{"terms":{"name":"a"}}', 'request_invalid', 'queryDsl.terms.name: expected an array of values'],
  [
    '{"terms":{"name":{"index":"x","id":"1","path":"y"}}}',
    'request_invalid',
    'queryDsl.terms.name: expected an array of values',
  ],
  [
    '{"terms":{"name":[{}]}}',
    'request_invalid',
    'queryDsl.terms.name[0]: expected a string, a number, true or false',
  ],
  [
    '{"terms":{"name":["a"],"boost":"x"}}',
    'request_invalid',
    'queryDsl.terms.boost: expected a number of 0 or more',
  ],
  [
    '{"terms":{"name":["a"],"id":["b"]}}',
    'request_invalid',
    'queryDsl.terms: expected the name of one field, found name, id',
  ],
  [
    '{"terms":{"accessCount":["x"]}}',
    'request_invalid',
    'queryDsl.terms.accessCount: "x" is not what the field accessCount holds, expected a number',
  ],
  [
    '{"prefix":{"accessCount":"1"}}',
    'request_invalid',
    'queryDsl.prefix.accessCount: the field accessCount holds numbers, a prefix query is for strings',
  ],
  [
    '{"wildcard":{"created":"2*"}}',
    'request_invalid',
    'queryDsl.wildcard.created: the field created holds dates, a wildcard query is for strings',
  ],
  [
    '{"regexp":{"name":"("}}',
    'query_malformed',
    'queryDsl.regexp.name: Regular expression, offset 1: the expression ends too early',
  ],
  [
    '{"regexp":{"name":"~a"}}',
    'query_malformed',
    'queryDsl.regexp.name: Regular expression, offset 0: the complement ~ is not supported; use [^…] for characters, NOT around the clause, or \\~ for a tilde',
  ],
  [
    '{"regexp":{"name":{"value":"a","flags":"WHAT"}}}',
    'query_malformed',
    'queryDsl.regexp.name: unknown flag "WHAT", expected some of ALL, NONE, COMPLEMENT, INTERVAL, INTERSECTION, ANYSTRING, EMPTY',
  ],
  [
    '{"fuzzy":{"name":{"value":"a","fuzziness":"x"}}}',
    'request_invalid',
    'queryDsl.fuzzy.name.fuzziness: expected AUTO, 0, 1 or 2',
  ],
  [
    '{"fuzzy":{"name":{"value":"a","transpositions":true}}}',
    'request_invalid',
    'queryDsl.fuzzy.name.transpositions: unknown parameter, expected value, fuzziness, boost',
  ],
  ['{"exists":{}}', 'request_invalid', 'queryDsl.exists: needs field'],
  ['{"exists":{"field":3}}', 'request_invalid', 'queryDsl.exists.field: expected a string'],
  ['{"exists":"name"}', 'request_invalid', 'queryDsl.exists: expected an object'],
  ['{"ids":{}}', 'request_invalid', 'queryDsl.ids: needs values'],
  [
    '{"ids":{"values":[{}]}}',
    'request_invalid',
    'queryDsl.ids.values[0]: expected a string, a number, true or false',
  ],
  [
    '{"nested":{"path":"access","query":{"ids":{"values":["a"]}}}}',
    'request_invalid',
    'queryDsl.nested.query.ids: ids is not allowed inside nested',
  ],
  [
    '{"range":{"accessCount":{"gte":1,"gt":2}}}',
    'request_invalid',
    'queryDsl.range.accessCount: gte and gt are the same bound, expected only one of them',
  ],
  [
    '{"range":{"accessCount":{"above":1}}}',
    'request_invalid',
    'queryDsl.range.accessCount.above: unknown parameter, expected gt, gte, lt, lte, from, to, include_lower, include_upper, time_zone, format, boost',
  ],
  [
    '{"range":{"accessCount":{"gte":"x"}}}',
    'request_invalid',
    'queryDsl.range.accessCount: "x" is not what the field accessCount holds, expected a number',
  ],
  [
    '{"range":{"created":{"gte":"x"}}}',
    'request_invalid',
    'queryDsl.range.created: "x" is not what the field created holds, expected a date like 2024-05-01, 2024-05-01T10:00:00Z or now-7d/d',
  ],
  [
    '{"range":{"created":{"gte":"2024","format":"dd/MM/yyyy"}}}',
    'request_invalid',
    'queryDsl.range.created.format: "dd/MM/yyyy" is not supported; use an ISO format or epoch_millis',
  ],
  [
    '{"range":{"created":{"gte":"2024","time_zone":"Nowhere"}}}',
    'request_invalid',
    'queryDsl.range.created.time_zone: there is no time zone "Nowhere"',
  ],
  ['{"range":{"created":3}}', 'request_invalid', 'queryDsl.range.created: expected an object'],
  [
    '{"range":{"created":{"gte":{}}}}',
    'request_invalid',
    'queryDsl.range.created.gte: expected a string, a number, true or false',
  ],
  ['{"match":{"name":{"operator":"and"}}}', 'request_invalid', 'queryDsl.match.name: needs query'],
  [
    '{"match":{"name":{"query":"a","operator":"xor"}}}',
    'request_invalid',
    'queryDsl.match.name.operator: expected or, and',
  ],
  [
    '{"match":{"name":{"query":"a","minimum_should_match":"2<75%"}}}',
    'request_invalid',
    'queryDsl.match.name.minimum_should_match: expected a whole number or a percentage',
  ],
  [
    '{"match":{"name":{"query":"a","analyzer":"x"}}}',
    'request_invalid',
    'queryDsl.match.name.analyzer: unknown parameter, expected query, operator, minimum_should_match, fuzziness, lenient, zero_terms_query, boost',
  ],
  [
    '{"match":{"accessCount":"x"}}',
    'request_invalid',
    'queryDsl.match.accessCount: "x" is not what the field accessCount holds, expected a number',
  ],
  [
    '{"match":{"name":{"query":[]}}}',
    'request_invalid',
    'queryDsl.match.name.query: expected a string, a number, true or false',
  ],
  [
    '{"match_phrase":{"name":{"query":"a","slop":-1}}}',
    'request_invalid',
    'queryDsl.match_phrase.name.slop: expected a whole number from 0 to 2147483647',
  ],
  [
    '{"match_phrase_prefix":{"name":{"query":"a","max_expansions":0}}}',
    'request_invalid',
    'queryDsl.match_phrase_prefix.name.max_expansions: expected a whole number from 1 to 1024',
  ],
  ['{"multi_match":{"fields":["a"]}}', 'request_invalid', 'queryDsl.multi_match: needs query'],
  [
    '{"multi_match":{"query":"a","fields":[1]}}',
    'request_invalid',
    'queryDsl.multi_match.fields[0]: expected a string',
  ],
  [
    '{"multi_match":{"query":"a","type":"bool_prefix"}}',
    'request_invalid',
    'queryDsl.multi_match.type: expected best_fields, most_fields, cross_fields, phrase, phrase_prefix',
  ],
  [
    '{"multi_match":{"query":"a","fields":["name^x"]}}',
    'request_invalid',
    'queryDsl.multi_match.fields: expected a number after ^ in name^x',
  ],
  ['{"bool":{"must":"x"}}', 'request_invalid', 'queryDsl.bool.must: expected an object'],
  [
    '{"bool":{"mus":[]}}',
    'request_invalid',
    'queryDsl.bool.mus: unknown parameter, expected must, filter, should, must_not, minimum_should_match, boost',
  ],
  ['{"bool":{"must":[null]}}', 'request_invalid', 'queryDsl.bool.must[0]: expected an object'],
  [
    '{"bool":{"minimum_should_match":"x"}}',
    'request_invalid',
    'queryDsl.bool.minimum_should_match: expected a whole number or a percentage',
  ],
  ['{"nested":{"query":{"match_all":{}}}}', 'request_invalid', 'queryDsl.nested: needs path'],
  ['{"nested":{"path":"access"}}', 'request_invalid', 'queryDsl.nested: needs query'],
  [
    '{"nested":{"path":"access","query":{"match_all":{}},"score_mode":"median"}}',
    'request_invalid',
    'queryDsl.nested.score_mode: expected avg, max, min, sum, none',
  ],
  [
    '{"nested":{"path":"nope","query":{"geo_shape":{}}}}',
    'request_invalid',
    'queryDsl.nested.query.geo_shape: is not supported',
  ],
  ['{"constant_score":{}}', 'request_invalid', 'queryDsl.constant_score: needs filter'],
  ['{"dis_max":{}}', 'request_invalid', 'queryDsl.dis_max: needs queries'],
  [
    '{"dis_max":{"queries":[]}}',
    'request_invalid',
    'queryDsl.dis_max: queries needs at least one clause',
  ],
  [
    '{"dis_max":{"queries":[{"match_all":{}},{}]}}',
    'request_invalid',
    'queryDsl.dis_max.queries[1]: expected exactly one query clause, found none',
  ],
  [
    '{"dis_max":{"queries":[{"match_all":{}}],"tie_breaker":1.1}}',
    'request_invalid',
    'queryDsl.dis_max.tie_breaker: expected a number from 0 to 1',
  ],
  [
    '{"match_all":{"x":1}}',
    'request_invalid',
    'queryDsl.match_all.x: unknown parameter, expected boost',
  ],
  [
    '{"query_string":{"query":"(a"}}',
    'query_malformed',
    'queryDsl.query_string.query: Query string, offset 2: unexpected end of the query, expected ) for the ( at offset 0',
  ],
  [
    '{"query_string":{"query":" "}}',
    'request_invalid',
    'queryDsl.query_string.query: is blank, expected a clause',
  ],
  ['{"query_string":{}}', 'request_invalid', 'queryDsl.query_string: needs query'],
  [
    '{"query_string":{"query":"accessCount:x"}}',
    'query_malformed',
    'queryDsl.query_string.query: Query string, offset 12: "x" is not what the field accessCount holds, expected a number',
  ],
  [
    '{"query_string":{"query":"a","fuzzy_max_expansions":3}}',
    'request_invalid',
    'queryDsl.query_string.fuzzy_max_expansions: unknown parameter, expected query, fields, default_field, default_operator, time_zone, lenient, analyze_wildcard, boost',
  ],
  [
    '{"query_string":{"query":"a","time_zone":"x"}}',
    'request_invalid',
    'queryDsl.query_string.time_zone: there is no time zone "x"',
  ],
  [
    '{"simple_query_string":{"query":"a","flags":"ALL"}}',
    'request_invalid',
    'queryDsl.simple_query_string.flags: unknown parameter, expected query, fields, default_operator, boost',
  ],
  [
    '{"simple_query_string":{"query":"a","default_operator":"nor"}}',
    'request_invalid',
    'queryDsl.simple_query_string.default_operator: expected or, and',
  ],
];

const context = testContext();

function faultOf(queryDsl: unknown, indices = ['identities']): ServiceError {
  try {
    planSearch({ indices, queryType: 'DSL', queryDsl }, {}, context);
  } catch (error) {
    assert.ok(error instanceof ServiceError, String(error));
    return error;
  }
  return assert.fail(`${JSON.stringify(queryDsl)} is not rejected`);
}

for (const [clause, code, cause] of FAULTS) {
  test(`rejects ${clause}: ${cause}`, () => {
    const error = faultOf(JSON.parse(clause));
    assert.equal(error.code, code);
    const [first = '', ...others] = error.details.causes ?? [];
    assert.equal(others.length, error.details.offset === undefined ? 0 : 1);
    assert.ok(first === cause || first.startsWith(`${cause};`), first);
  });
}

test('rejects an invalid clause whichever index is requested', () => {
  const faults = [{ nested: { path: 'nope', query: { term: { name: { value: 'a', x: 1 } } } } }];
  for (const clause of faults) {
    for (const index of ['events', 'roles', 'identities']) {
      assert.equal(faultOf(clause, [index]).code, 'request_invalid');
    }
  }
});

test('rejects too many clauses, levels, values and characters, and names the limit', () => {
  const all = { match_all: {} };
  let deep: object = all;
  for (let level = 0; level < 60; level += 1) deep = { bool: { must: deep } };
  const cases: readonly (readonly [object, string])[] = [
    [{ bool: { should: Array.from({ length: 1025 }, () => all) } }, 'CARDEA_MAX_CLAUSES'],
    [deep, 'CARDEA_MAX_DEPTH'],
    [{ terms: { id: Array.from({ length: 65_537 }, String) } }, 'CARDEA_MAX_TERMS'],
    [{ ids: { values: Array.from({ length: 65_537 }, String) } }, 'CARDEA_MAX_TERMS'],
    [{ terms: { created: Array.from({ length: 1025 }, () => '2024') } }, 'CARDEA_MAX_CLAUSES'],
    [{ regexp: { name: 'a'.repeat(1001) } }, 'CARDEA_MAX_REGEX_LENGTH'],
    [{ match: { name: 'a'.repeat(65_537) } }, 'CARDEA_MAX_QUERY_LENGTH'],
    [{ wildcard: { name: 'a'.repeat(65_537) } }, 'CARDEA_MAX_QUERY_LENGTH'],
    [{ query_string: { query: '('.repeat(60) } }, 'CARDEA_MAX_DEPTH'],
    [{ simple_query_string: { query: '('.repeat(60) } }, 'CARDEA_MAX_DEPTH'],
    [{ simple_query_string: { query: 'a+b|'.repeat(60) } }, 'CARDEA_MAX_DEPTH'],
    [{ simple_query_string: { query: 'a '.repeat(1025) } }, 'CARDEA_MAX_CLAUSES'],
    [{ multi_match: { query: 'a '.repeat(16_000), fields: ['name', 'a*'] } }, 'CARDEA_MAX_TERMS'],
  ];
  for (const [clause, limit] of cases) {
    const error = faultOf(clause);
    assert.equal(error.code, 'limit_exceeded', limit);
    assert.match(error.message, new RegExp(limit));
  }
});

test('accepts as many values as the limit allows', () => {
  const queryDsl = { terms: { id: Array.from({ length: 65_536 }, String) } };
  const plan = planSearch({ queryType: 'DSL', queryDsl }, {}, context);
  assert.equal(plan.targets.length, 6);
});
