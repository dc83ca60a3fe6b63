import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasFreeWords, queryTerms } from './query-terms.ts';

const CASES: readonly [query: string, terms: string][] = [
  ['claire', '*:claire'],
  ['claire "new york" cla*', '*:claire, *:"new york", *:cla* as pattern'],
  ['attributes.city:Dublin AND claire', 'attributes.city:Dublin, *:claire'],
  ['name.exact:"Ada Lovelace"', 'name:"Ada Lovelace"'],
  ['city:(Oslo OR Rome) Ada', 'city:Oslo, city:Rome, *:Ada'],
  [
    '@accounts(source.name:HR AND disabled:true)',
    'accounts.source.name:HR, accounts.disabled:true',
  ],
  ['@access(payroll)', '*:payroll'],
  ['NOT claire', ''],
  ['-claire +ada', '*:ada'],
  ['NOT (claire OR bob) ada', '*:ada'],
  ['created:[now-7d TO now] ada', '*:ada'],
  ['*', ''],
  ['a\\:b', '*:a:b'],
  ['(unclosed "quote', '*:unclosed, *:"quote'],
];

for (const [query, expected] of CASES) {
  test(`finds the terms of ${query}`, () => {
    const printed = queryTerms(query).map(({ field, kind, text }) => {
      const value = kind === 'phrase' ? `"${text}"`.replace('"quote"', '"quote') : text;
      return `${field ?? '*'}:${value}${kind === 'pattern' ? ' as pattern' : ''}`;
    });
    assert.equal(printed.join(', '), expected);
  });
}

test('tells queries with free words from queries of fields', () => {
  for (const query of ['claire', 'city:Rome claire', '"new york"', '@access(payroll)']) {
    assert.ok(hasFreeWords(query), query);
  }
  for (const query of ['', '*', 'cla*', 'city:Rome', 'NOT claire', 'created:>now-7d']) {
    assert.ok(!hasFreeWords(query), query);
  }
});
