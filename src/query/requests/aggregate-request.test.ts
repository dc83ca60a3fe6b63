// Which documents an aggregation is about, by the query of its request.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planAggregate, testContext } from '../../../test/support/query-context.ts';
import { type ErrorCode, ServiceError } from '../../errors.ts';
import { format } from '../explain/format.ts';

const context = testContext();

/** The plan without its aggregations. */
function planned(body: object): readonly string[] {
  const request = { indices: ['identities'], aggregationsDsl: {}, ...body };
  const lines = format(planAggregate(request, {}, context).plan).split('\n');
  const kept = lines.filter((line) => !/^ {2}calculates$|^rows: 0 \+ 250$|^buckets: /.test(line));
  return kept.map((line) => line.replace(/^identities: /, ''));
}

const JO = { query: 'Jo', field: 'name', size: 5 };

const MEANINGS: readonly (readonly [body: object, lines: readonly string[]])[] = [
  [{}, ['*:*']],
  [{ query: null }, ['*:*']],
  [{ query: { fields: ['name'], timeZone: 'Europe/Paris' } }, ['*:*']],
  [{ query: { query: 'name:a' } }, ['name:a']],
  [{ filters: { name: { type: 'EXISTS' } } }, ['(+*:* #_exists_:name)']],
  [{ queryType: 'DSL' }, ['*:*']],
  [{ queryType: 'DSL', queryDsl: null }, ['*:*']],
  [{ queryType: 'DSL', queryDsl: { match_none: {} } }, ['-*:*']],
  [{ queryType: 'TEXT', textQuery: { terms: ['a'], fields: ['name'] } }, ['name.folded:a*']],
  // The hits are documents, so the sort applies.
  [
    { queryType: 'TYPEAHEAD', typeAheadQuery: JO, sort: ['id'], searchAfter: ['x'] },
    ['name:"jo"*10', 'sort: +id', 'after: ["x"]'],
  ],
  [
    { query: { innerHit: { query: 'name:a', type: 'access' } } },
    ['(+*:* #@access[none](access.name:a))', '  elements of access: access.name:a'],
  ],
];

for (const [body, lines] of MEANINGS) {
  test(`aggregates ${lines[0]} for ${JSON.stringify(body)}`, () => {
    assert.deepEqual(planned(body), lines);
  });
}

const FAULTS: readonly (readonly [body: object, code: ErrorCode, cause: RegExp])[] = [
  [{ query: { query: ' ' } }, 'query_malformed', /blank/],
  [{ query: { timeZone: 'Mars' } }, 'request_invalid', /^query\.timeZone/],
  [{ queryType: 'DSL', queryDsl: {} }, 'request_invalid', /exactly one query clause/],
  [{ queryType: 'TEXT' }, 'request_invalid', /^textQuery: is required/],
  [{ queryType: 'TYPEAHEAD' }, 'request_invalid', /^typeAheadQuery: is required/],
  [
    { queryType: 'TYPEAHEAD', typeAheadQuery: JO, sort: ['nope'] },
    'request_invalid',
    /^sort\[0\]: nope/,
  ],
  [{ aggregationType: 'dsl' }, 'request_invalid', /^aggregationType: "dsl" is none of/],
];

for (const [body, code, cause] of FAULTS) {
  test(`rejects ${JSON.stringify(body)} as ${code}`, () => {
    assert.throws(
      () => planned(body),
      (error) =>
        error instanceof ServiceError &&
        error.code === code &&
        cause.test(error.details.causes?.[0] ?? ''),
    );
  });
}
