import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { planCount, planSearch, testContext } from '../../../test/support/query-context.ts';
import { withFields } from '../mapping/document-types.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { NearestNames } from '../mapping/nearest-name.ts';
import { runSteps } from '../steps.ts';
import { planCountSteps, planSearchSteps } from './search-request.ts';
import { warningSteps } from './unknown-names.ts';

const context = testContext();

function planWithWarnings(body: object) {
  return runSteps(warningSteps(context, (inner) => planSearchSteps(body, {}, inner)));
}

const warningTexts = (body: object) =>
  planWithWarnings(body).warnings.map(({ field, nearest }) => `${field} → ${nearest}`);

const IN_PEOPLE = { indices: ['identities'] };

describe('warns about names that no requested index has, with the nearest name', () => {
  const text = (query: string, more: object = {}) => ({ ...IN_PEOPLE, query: { query, ...more } });
  const table: readonly (readonly [body: object, expected: readonly string[]])[] = [
    [text('name:a city:b OR x'), ['city → attributes.city']],
    [text('nmae:a nmae:b Name:c'), ['nmae → name', 'Name → name']],
    [text('name.exact:a tagsCount:1 _id:x _type:identity'), []],
    [text('accessCount.exact:1'), ['accessCount.exact → accessCount']],
    [text('nmae.exact:x'), ['nmae.exact → name']],
    [text('_exists_:attributes _exists_:accounts _exists_:nmae'), ['nmae → name']],
    [text('nmae:* nmae:>3 nmae:(a OR b)'), ['nmae → name']],
    [text('attributes.\\*:x nosuch\\*:y'), []],
    [
      text('@accounts(sorce.name:x AND disabled:true)'),
      ['accounts.sorce.name → accounts.source.name'],
    ],
    [text('@acounts(source.name:x)'), ['acounts → accounts']],
    [text('@acounts.disabled:true @accounts.disabled:true'), ['acounts → accounts']],
    [text('x', { fields: ['name', 'fristName^2', 'nosuch\\*'] }), ['fristName → firstName']],
    [
      text('*', { innerHit: { type: 'accounts', query: 'nmae:x' } }),
      ['accounts.nmae → accounts.name'],
    ],
    [{ ...text('*'), filters: { nmae: { terms: ['x'] } } }, ['nmae → name']],
    [{ ...text('*'), filters: { manager: { type: 'EXISTS' } } }, []],
    [
      { ...IN_PEOPLE, queryType: 'DSL', queryDsl: { bool: { should: [{ term: { nmae: 'x' } }] } } },
      ['nmae → name'],
    ],
    [
      {
        ...IN_PEOPLE,
        queryType: 'DSL',
        queryDsl: { nested: { path: 'acounts', query: { match_all: {} } } },
      },
      ['acounts → accounts'],
    ],
    [
      { ...IN_PEOPLE, queryType: 'TEXT', textQuery: { terms: ['a'], fields: ['name', 'emial'] } },
      ['emial → email'],
    ],
    [
      { ...IN_PEOPLE, queryType: 'TYPEAHEAD', typeAheadQuery: { query: 'a', field: 'fristName' } },
      ['fristName → firstName'],
    ],
    [text('name:a'), []],
    [text('zzzzzz:a'), ['zzzzzz → null']],
  ];
  for (const [body, expected] of table) {
    test(JSON.stringify(body).slice(23, 110), () => assert.deepEqual(warningTexts(body), expected));
  }
});

test('a name that one index has is no warning, but is listed for the other indices', () => {
  const body = {
    indices: ['identities', 'roles'],
    query: { query: 'accountCount:1 @accounts(id:x)' },
  };
  const { warnings, unknown } = planWithWarnings(body);
  assert.deepEqual(warnings, []);
  assert.deepEqual(unknown, { roles: ['accountCount', 'accounts'] });
});

test('a name that only another index has is a warning that names the index', () => {
  const query = 'technicalName:a name:b @accounts(id:x)';
  const { warnings } = planWithWarnings({ indices: ['roles'], query: { query } });
  assert.deepEqual(
    warnings.map(({ text, nearest }) => [text, nearest]),
    [
      ['No requested index has a field "technicalName"; events has it', null],
      ['No requested index has a nested array "accounts"; identities has it', null],
    ],
  );
});

test('computes the nearest name once for a name and mapping', () => {
  const nearestNames = new NearestNames();
  let computed = 0;
  const [roles, events] = [context.mapping('roles'), context.mapping('events')];
  const nearest = (name: string, ...mappings: Mapping[]) =>
    nearestNames.nearest(name, mappings, 'field', () => {
      computed += 1;
      return mappings.flatMap(({ fields }) => [...fields.keys()]);
    });
  assert.equal(nearest('nmae', roles), 'name');
  assert.equal(nearest('nmae', roles), 'name');
  assert.equal(computed, 1);
  nearest('nmae', events);
  nearest('nmae', roles, events);
  nearest('nmae', withFields(roles, []));
  assert.equal(computed, 4);
});

test('gives at most eight warnings and cuts long names', () => {
  const query = Array.from({ length: 20 }, (_, n) => `${'long'.repeat(40)}${n}:x`).join(' ');
  const { warnings } = planWithWarnings({ query: { query } });
  assert.equal(warnings.length, 8);
  assert.ok(warnings.every(({ field, text }) => field.length === 100 && text.length < 200));
});

test('plans the same with and without warnings', () => {
  const body = { query: { query: 'name:a nmae:b' }, sort: ['name'] };
  assert.deepEqual(planWithWarnings(body).planned, planSearch(body, {}, context));
  const counted = runSteps(warningSteps(context, (inner) => planCountSteps(body, inner)));
  assert.deepEqual(counted.planned, planCount(body, context));
  assert.equal(
    counted.warnings[0]?.text,
    'No requested index has a field "nmae"; did you mean "name"?',
  );
});
