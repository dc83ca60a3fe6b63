// A plan may be given again only where nothing that it was made of can have changed: body, parameters, tenant, fields, time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INDEX_NAMES, staticMapping } from '../../query/mapping/document-types.ts';
import type { Plan } from '../../query/plan.ts';
import { DEFAULT_LIMITS, planSearch } from '../../query/search-request.ts';
import type { Mappings } from '../documents/mapping-cache.ts';
import { PlanCache, type Question } from './plan-cache.ts';

const TENANT = { id: 't1', name: 'acme', pod: 'local', created: '2026-01-01T00:00:00.000Z' };
const mappings = (): Mappings =>
  Object.fromEntries(INDEX_NAMES.map((index) => [index, staticMapping(index, TENANT)])) as Mappings;
const FIELDS = mappings();

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(frozen);
  return Object.freeze(value);
}

const bodyOf = (query: string, more: object = {}) =>
  frozen({ indices: ['identities'], query: { query }, ...more });

/** Plans made so far of one cache, at the hour `now`. */
class Asker {
  readonly #cache = new PlanCache();
  made = 0;
  now = Date.parse('2026-05-01T12:00:00Z');

  ask(body: unknown, change: Partial<Question> = {}): Promise<Plan> {
    const question: Question = {
      ...{ asks: 'search', tenantId: 't1', body, parameters: {}, mappings: FIELDS },
      ...change,
    };
    return this.#cache.through(question, async () => {
      this.made += 1;
      const { now } = this;
      const context = { mapping: () => question.mappings.identities, now, limits: DEFAULT_LIMITS };
      return planSearch(body, question.parameters, context);
    });
  }
}

test('the same question is planned once', async () => {
  const asker = new Asker();
  const body = bodyOf('name:ada');
  const plan = await asker.ask(body);
  assert.equal(await asker.ask(body), plan);
  assert.equal(asker.made, 1);
});

const OTHERS: readonly [string, Partial<Question>][] = [
  ['another use', { asks: 'count' }],
  ['another tenant', { tenantId: 't2' }],
  ['another page', { parameters: { offset: '10' } }],
  ['another size', { parameters: { limit: '10' } }],
  ['a count', { parameters: { count: 'true' } }],
  ['other fields', { mappings: mappings() }],
];
for (const [name, change] of OTHERS) {
  test(`${name} is planned anew`, async () => {
    const asker = new Asker();
    const body = bodyOf('name:ada');
    await asker.ask(body);
    const plan = await asker.ask(body, change);
    assert.equal(asker.made, 2);
    assert.equal(await asker.ask(body, change), plan);
    assert.equal(asker.made, 2);
  });
}

test('new fields take the place of the old ones', async () => {
  const asker = new Asker();
  const body = bodyOf('name:ada');
  await asker.ask(body);
  await asker.ask(body, { mappings: mappings() });
  await asker.ask(body);
  assert.equal(asker.made, 3);
});

test('equal bodies are not one body, and one that can change is no key', async () => {
  const asker = new Asker();
  await asker.ask(bodyOf('name:ada'));
  await asker.ask(bodyOf('name:ada'));
  const open = { indices: ['identities'], query: { query: 'name:ada' } };
  await asker.ask(open);
  open.query.query = 'name:grace';
  const plan = await asker.ask(open);
  assert.equal(asker.made, 4);
  assert.match(JSON.stringify(plan), /grace/);
});

const RELATIVE: readonly [string, unknown][] = [
  ['of a query', bodyOf('created:[now-1d TO now]')],
  ['of a query with escapes', bodyOf('created:[n\\ow-1d TO *]')],
  [
    'of a filter',
    bodyOf('*', { filters: { created: { type: 'RANGE', range: { lower: { value: 'now-1d' } } } } }),
  ],
  [
    'of the query language',
    frozen({
      indices: ['identities'],
      queryType: 'DSL',
      queryDsl: { range: { created: { gte: 'now/d' } } },
    }),
  ],
];
for (const [name, body] of RELATIVE) {
  test(`a date that counts from now is read anew each time: ${name}`, async () => {
    const asker = new Asker();
    const first = await asker.ask(body);
    asker.now += 86_400_000;
    assert.notDeepEqual(await asker.ask(body), first);
    assert.equal(asker.made, 2);
  });
}

test('a fixed date and the word now among others are remembered', async () => {
  for (const query of ['created:[2026-01-01 TO 2026-02-01]', 'displayName:now', '"right now"']) {
    const asker = new Asker();
    const body = bodyOf(query);
    await asker.ask(body);
    await asker.ask(body);
    assert.equal(asker.made, 1, query);
  }
});

test('a question that cannot be planned is planned and refused each time', async () => {
  const asker = new Asker();
  const body = bodyOf('name:(');
  for (const made of [1, 2]) {
    await assert.rejects(asker.ask(body), { name: 'ServiceError', code: 'query_malformed' });
    assert.equal(asker.made, made);
  }
});

test('as many pages of a body as there may be are remembered, the last ones', async () => {
  const asker = new Asker();
  const body = bodyOf('*');
  for (let page = 0; page < 100; page += 1) {
    await asker.ask(body, { parameters: { offset: String(page) } });
  }
  await asker.ask(body, { parameters: { offset: '99' } });
  assert.equal(asker.made, 100);
  await asker.ask(body, { parameters: { offset: '0' } });
  assert.equal(asker.made, 101);
});
