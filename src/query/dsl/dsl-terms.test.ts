// DSL clauses that compare terms, one per row, with their query on the identities of a small
// tenant.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planSearch, testContext } from '../../../test/support/query-context.ts';
import { fold } from '../analysis/fold.ts';
import { words } from '../analysis/words.ts';
import { formatQuery } from '../format-query.ts';
import type { Query } from '../query.ts';

const MEANINGS: readonly (readonly [clause: string, plan: string])[] = [
  ['{"match_all":{}}', '*:*'],
  ['{"match_all":null}', '*:*'],
  ['{"match_all":{"boost":2}}', '*:*^2'],
  ['{"match_none":{}}', '-*:*'],
  ['{"term":{"name":"ada"}}', 'name:ada'],
  ['{"term":{"name":"Ada Lovelace"}}', 'name.folded:"ada lovelace"'],
  ['{"term":{"name":{"value":"ADA","boost":2}}}', 'name:ada^2'],
  ['{"term":{"name.exact":"Ada"}}', 'name.exact:Ada'],
  ['{"term":{"name.exact":{"value":"Ada","case_insensitive":true}}}', 'name.folded:ada'],
  ['{"term":{"id":"AbC"}}', 'id.folded:abc'],
  ['{"term":{"id.exact":"AbC"}}', 'id.exact:AbC'],
  ['{"term":{"accessCount":3}}', 'accessCount=3'],
  ['{"term":{"accessCount":"3"}}', 'accessCount=3'],
  ['{"term":{"inactive":true}}', 'inactive=1'],
  ['{"term":{"inactive":"TRUE"}}', 'inactive=1'],
  ['{"term":{"created":"2024-05"}}', 'created:[1714521600000 TO 1717199999999]'],
  ['{"term":{"created":"2024-05-01T10:00:00Z"}}', 'created:[1714557600000 TO 1714557600999]'],
  ['{"term":{"nope":1}}', '-*:*'],
  ['{"term":{"_type":"IDENTITY"}}', '*:*'],
  ['{"term":{"_type":"role"}}', '-*:*'],
  ['{"term":{"_type.exact":"Identity"}}', '-*:*'],
  ['{"term":{"accounts.name":"a"}}', '@accounts(accounts.name:a)'],
  ['{"term":{"accounts.source.id":"X"}}', '@accounts(accounts.source.id.folded:x)'],
  ['{"term":{"attributes.level":4}}', 'attributes.level=4'],
  ['{"term":{"attributes.ratio":0.5}}', 'attributes.ratio=0.5'],
  ['{"term":{"employeeNumber":123}}', 'employeeNumber:123'],
  ['{"term":{"_id":"a1"}}', 'id.folded:a1'],
  ['{"terms":{"name":["Ada","Grace Hopper"]}}', '(name:{ada} | name.folded:{"grace hopper"})'],
  ['{"terms":{"id":["A","a","b"]}}', 'id.folded:{a, b}'],
  ['{"terms":{"id.exact":["A","b"],"boost":3}}', 'id.exact:{A, b}^3'],
  ['{"terms":{"accessCount":[3,"1",2.5]}}', 'accessCount={1, 3}'],
  ['{"terms":{"inactive":[true]}}', 'inactive=1'],
  [
    '{"terms":{"created":["2024-05-01","2024"]}}',
    '(created:[1714521600000 TO 1714607999999] created:[1704067200000 TO 1735689599999])',
  ],
  ['{"terms":{"name":[]}}', '-*:*'],
  ['{"terms":{"_type":["role","Identity"]}}', '*:*'],
  [
    '{"terms":{"access.type":["ROLE","ENTITLEMENT"]}}',
    '@access(access.type.folded:{role, entitlement})',
  ],
  ['{"prefix":{"name":"AD"}}', 'name:ad*'],
  ['{"prefix":{"name":{"value":"ad","case_insensitive":true}}}', 'name:ad*'],
  ['{"prefix":{"name.exact":"Ad"}}', 'name.exact:Ad*'],
  ['{"prefix":{"name.exact":{"value":"Ad","case_insensitive":true}}}', 'name.folded:ad*'],
  ['{"prefix":{"id":"Ab"}}', 'id.folded:ab*'],
  ['{"wildcard":{"name":"*D?"}}', 'name:*d?'],
  ['{"wildcard":{"name.exact":{"value":"A*"}}}', 'name.exact:wildcard("A*")'],
  ['{"wildcard":{"org":"ac*"}}', '*:*'],
  ['{"regexp":{"name":"[A-C].*"}}', 'name:/[a-c].*/'],
  ['{"regexp":{"name.exact":"[A-C].*"}}', 'name.exact:/[A-C].*/'],
  ['{"regexp":{"name":{"value":"a@b<1-3>","flags":"NONE"}}}', 'name:/a\\@b\\<1-3\\>/'],
  ['{"regexp":{"name":{"value":"a@b<1-3>","flags":"INTERVAL"}}}', 'name:/a\\@b<1-3>/'],
  ['{"regexp":{"name":{"value":"a&\\"b@\\"[@]@","flags":"INTERSECTION"}}}', 'name:/a&"b@"[@]\\@/'],
  ['{"fuzzy":{"name":"Adaa"}}', 'name:adaa~1'],
  ['{"fuzzy":{"name":{"value":"lovelace","fuzziness":1}}}', 'name:lovelace~1'],
  ['{"fuzzy":{"name":{"value":"lovelace","fuzziness":"AUTO"}}}', 'name:lovelace~2'],
  ['{"fuzzy":{"id":{"value":"AB","fuzziness":"0"}}}', 'id.folded:ab'],
  ['{"exists":{"field":"name"}}', '_exists_:name'],
  [
    '{"exists":{"field":"manager"}}',
    '(_exists_:manager.displayName _exists_:manager.id _exists_:manager.name)',
  ],
  [
    '{"exists":{"field":"apps"}}',
    '@apps(_exists_:apps.account.accountId _exists_:apps.account.id _exists_:apps.id _exists_:apps.name _exists_:apps.source.id _exists_:apps.source.name)',
  ],
  ['{"exists":{"field":"nope"}}', '-*:*'],
  ['{"exists":{"field":"name.exact"}}', '_exists_:name'],
  ['{"exists":{"field":"pod"}}', '*:*'],
  ['{"ids":{"values":["a","b","a"]}}', '_id:{a, b}'],
  ['{"ids":{"values":"a"}}', '_id:{a}'],
  ['{"ids":{"values":[]}}', '-*:*'],
  ['{"range":{"accessCount":{"gte":1,"lt":5}}}', 'accessCount:[1 TO 5}'],
  ['{"range":{"accessCount":{"from":1,"to":5}}}', 'accessCount:[1 TO 5]'],
  [
    '{"range":{"accessCount":{"from":1,"to":5,"include_lower":false,"include_upper":false}}}',
    'accessCount:{1 TO 5}',
  ],
  ['{"range":{"accessCount":{"gte":null,"lte":5}}}', 'accessCount:[* TO 5]'],
  ['{"range":{"accessCount":{}}}', '_exists_:accessCount'],
  [
    '{"range":{"created":{"gte":"2024-05","lte":"2024-05","time_zone":"+02:00"}}}',
    'created:[1714514400000 TO 1717192799999]',
  ],
  [
    '{"range":{"created":{"gt":"now-1d/d","format":"strict_date_optional_time||epoch_millis"}}}',
    'created:{1715731199999 TO *]',
  ],
  ['{"range":{"created":{"gte":1714557600000}}}', 'created:[1714557600000 TO *]'],
  ['{"range":{"name":{"gte":"A","lt":"C","boost":2}}}', 'name:[a TO c}^2'],
  [
    '{"range":{"attributes.endDate":{"gte":"2024-01-01","lt":"2025-01-01"}}}',
    'attributes.endDate.date:[1704067200000 TO 1735689600000}',
  ],
  [
    '{"range":{"accounts.created":{"gte":"2024"}}}',
    '@accounts(accounts.created:[1704067200000 TO *])',
  ],
];

const context = testContext();

for (const [clause, plan] of MEANINGS) {
  test(`${clause} means ${plan}`, () => {
    const body = { indices: ['identities'], queryType: 'DSL', queryDsl: JSON.parse(clause) };
    const [target] = planSearch(body, {}, context).targets;
    assert.equal(target && formatQuery(target.query), plan);
  });
}

test('a value of letters of any script is a single word exactly if the analysis yields one word', () => {
  const letters = /[\p{Alphabetic}\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{Nd}]/u;
  const values: string[] = [];
  for (let code = 0x80; code < 0x2_0000; code += code < 0x3000 ? 1 : 97) {
    const letter = String.fromCodePoint(code);
    if (letters.test(letter)) values.push(`a${letter}b1`);
  }
  const queryDsl = { terms: { name: values } };
  const body = { indices: ['identities'], queryType: 'DSL', queryDsl };
  const isOneWord = (value: string) => {
    const terms = words(value);
    return terms.length === 1 && terms[0]?.term === fold(value);
  };
  const formOf = new Map<string, string>();
  const collect = (query: Query): void => {
    if (query.kind === 'disMax') query.queries.forEach(collect);
    if (query.kind === 'terms') for (const value of query.values) formOf.set(value, query.form);
  };
  for (const { query } of planSearch(body, {}, context).targets) collect(query);
  for (const value of values) {
    assert.equal(formOf.get(fold(value)), isOneWord(value) ? 'word' : 'folded', value);
  }
});
