// DSL clauses that hold texts and other clauses, one per row, with their query on the identities of
// a small tenant.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planSearch, testContext } from '../../../test/support/query-context.ts';
import { formatQuery } from '../format-query.ts';

const MEANINGS: readonly (readonly [clause: string, plan: string])[] = [
  ['{"match":{"name":"Ada Lovelace"}}', '(name:ada name:lovelace)'],
  ['{"match":{"name":{"query":"Ada Lovelace","operator":"and"}}}', '(+name:ada +name:lovelace)'],
  ['{"match":{"name":{"query":"Ada Lovelace","operator":"AND"}}}', '(+name:ada +name:lovelace)'],
  [
    '{"match":{"name":{"query":"a b c d","minimum_should_match":"75%"}}}',
    '(name:a name:b name:c name:d)~3',
  ],
  [
    '{"match":{"name":{"query":"a b c d","minimum_should_match":-1}}}',
    '(name:a name:b name:c name:d)~3',
  ],
  ['{"match":{"name":{"query":"a b","minimum_should_match":3}}}', '-*:*'],
  ['{"match":{"name":{"query":"a","minimum_should_match":2}}}', 'name:a'],
  [
    '{"match":{"name":{"query":"adaa lovelaca","fuzziness":"AUTO"}}}',
    '(name:adaa~1 name:lovelaca~2)',
  ],
  ['{"match":{"name":"--"}}', '-*:*'],
  ['{"match":{"name":{"query":"--","zero_terms_query":"all"}}}', '*:*'],
  ['{"match":{"id":"A B"}}', 'id.folded:"a b"'],
  ['{"match":{"accessCount":3}}', 'accessCount=3'],
  ['{"match":{"accessCount":{"query":"x","lenient":true}}}', '-*:*'],
  ['{"match":{"name.exact":"Ada L"}}', 'name.exact:"Ada L"'],
  [
    '{"match":{"accounts.name":{"query":"a b","operator":"and"}}}',
    '(+@accounts(accounts.name:a) +@accounts(accounts.name:b))',
  ],
  ['{"match":{"name":{"query":"ada","boost":3}}}', 'name:ada^3'],
  ['{"match":{"name":true}}', 'name:true'],
  ['{"match_phrase":{"name":"Ada Lovelace"}}', 'name:"ada lovelace"'],
  ['{"match_phrase":{"name":{"query":"Ada Lovelace","slop":2}}}', 'name:"ada lovelace"~2'],
  ['{"match_phrase":{"name":"Ada"}}', 'name:ada'],
  ['{"match_phrase":{"id":"A B"}}', 'id.folded:"a b"'],
  ['{"match_phrase":{"created":"2024-05-01"}}', 'created:[1714521600000 TO 1714607999999]'],
  ['{"match_phrase_prefix":{"name":"Ada Lo"}}', 'name:"ada lo"*50'],
  ['{"match_phrase_prefix":{"name":{"query":"Lo","max_expansions":3}}}', 'name:"lo"*3'],
  ['{"match_phrase_prefix":{"id":"A b"}}', 'id.folded:"a b"*'],
  [
    '{"multi_match":{"query":"Ada Byron","fields":["name^2","firstName"]}}',
    '((name:ada name:byron)^2 | (firstName:ada firstName:byron))',
  ],
  [
    '{"multi_match":{"query":"Ada Byron","fields":["name","firstName"],"type":"most_fields"}}',
    '((name:ada name:byron) (firstName:ada firstName:byron))',
  ],
  [
    '{"multi_match":{"query":"Ada Byron","fields":["name","firstName"],"type":"cross_fields","operator":"and"}}',
    '(+(name:ada | firstName:ada) +(name:byron | firstName:byron))',
  ],
  [
    '{"multi_match":{"query":"Ada Byron","fields":["name","id"],"type":"phrase"}}',
    '(name:"ada byron" | id.folded:"ada byron")',
  ],
  [
    '{"multi_match":{"query":"Ada By","fields":["name","id"],"type":"phrase_prefix"}}',
    '(name:"ada by"*50 | id.folded:"ada by"*)',
  ],
  [
    '{"multi_match":{"query":"ada","fields":["name","accessCount","accounts.name"]}}',
    '(name:ada | @accounts(accounts.name:ada))',
  ],
  ['{"multi_match":{"query":"ada","fields":["attributes.c*"]}}', 'attributes.city:ada'],
  [
    '{"multi_match":{"query":"Ada L"}}',
    '((_all:ada | _all.folded:ada | name:ada^4) (_all:l | _all.folded:l | name:l^4))',
  ],
  [
    '{"multi_match":{"query":"Ada L","operator":"and"}}',
    '(+(_all:ada | _all.folded:ada | name:ada^4) +(_all:l | _all.folded:l | name:l^4))',
  ],
  [
    '{"multi_match":{"query":"Ada L","type":"phrase_prefix"}}',
    '(_all:"ada l"*50 | _all.folded:"ada l" | name:"ada l"*50^4)',
  ],
  ['{"multi_match":{"query":"ada","fields":["nope"]}}', '-*:*'],
  ['{"multi_match":{"query":"ada","fields":"name"}}', 'name:ada'],
  ['{"bool":{}}', '*:*'],
  ['{"bool":{"must":{"term":{"name":"a"}}}}', 'name:a'],
  [
    '{"bool":{"must":[{"term":{"name":"a"}}],"filter":{"term":{"id":"b"}},"should":[{"term":{"name":"c"}}],"must_not":[{"term":{"id":"d"}}]}}',
    '(+name:a name:c #id.folded:b -id.folded:d)',
  ],
  ['{"bool":{"should":[{"term":{"name":"a"}},{"term":{"name":"b"}}]}}', '(name:a name:b)'],
  [
    '{"bool":{"should":[{"term":{"name":"a"}},{"term":{"name":"b"}},{"term":{"name":"c"}}],"minimum_should_match":2}}',
    '(name:a name:b name:c)~2',
  ],
  [
    '{"bool":{"must":[{"match_all":{}}],"should":[{"term":{"name":"a"}},{"term":{"name":"b"}}],"minimum_should_match":1}}',
    '(+*:* name:a name:b)~1',
  ],
  [
    '{"bool":{"should":[{"term":{"name":"a"}},{"term":{"name":"b"}}],"minimum_should_match":"100%"}}',
    '(+name:a +name:b)',
  ],
  [
    '{"bool":{"should":[{"term":{"name":"a"}},{"term":{"nope":"b"}},{"term":{"name":"c"}}],"minimum_should_match":2}}',
    '(+name:a +name:c)',
  ],
  ['{"bool":{"should":[{"term":{"name":"a"}}],"minimum_should_match":2}}', '-*:*'],
  ['{"bool":{"must_not":[{"term":{"name":"a"}}]}}', '(-name:a)'],
  ['{"bool":{"filter":[{"term":{"name":"a"}}],"boost":2}}', '(#name:a)^2'],
  ['{"bool":{"should":[{"term":{"nope":1}}]}}', '-*:*'],
  ['{"bool":{"should":[],"minimum_should_match":1}}', '*:*'],
  ['{"bool":{"should":[{"term":{"name":"a"}}],"minimum_should_match":0}}', 'name:a'],
  [
    '{"nested":{"path":"access","query":{"term":{"access.type":"ROLE"}}}}',
    '@access[avg](access.type.folded:role)',
  ],
  [
    '{"nested":{"path":"access","query":{"bool":{"must":[{"term":{"access.type":"ROLE"}},{"match":{"access.name":"Auditor"}}]}},"score_mode":"max","inner_hits":{"size":3},"ignore_unmapped":true}}',
    '@access(+access.type.folded:role +access.name:auditor)',
  ],
  ['{"nested":{"path":"apps","query":{"exists":{"field":"apps"}}}}', '@apps[avg](*:*)'],
  ['{"nested":{"path":"nope","query":{"match_all":{}}}}', '-*:*'],
  ['{"nested":{"path":"access","query":{"term":{"type":"ROLE"}}}}', '-*:*'],
  ['{"nested":{"path":"access","query":{"term":{"accounts.name":"x"}}}}', '-*:*'],
  [
    '{"nested":{"path":"access","query":{"nested":{"path":"access","query":{"term":{"access.type":"ROLE"}}}}}}',
    '@access[avg](access.type.folded:role)',
  ],
  [
    '{"nested":{"path":"access","query":{"nested":{"path":"apps","query":{"match_all":{}}}}}}',
    '-*:*',
  ],
  [
    '{"nested":{"path":"access","query":{"query_string":{"query":"access.name:x AND audit","fields":["access.name","access.source.name"]}}}}',
    '@access[avg](+access.name:x +(access.name:audit | access.source.name:audit))',
  ],
  ['{"nested":{"path":"access","query":{"match_all":{}},"boost":2}}', '@access[avg](*:*)^2'],
  ['{"nested":{"path":"access","query":{"term":{"_type":"identity"}}}}', '-*:*'],
  ['{"constant_score":{"filter":{"term":{"name":"a"}},"boost":1.5}}', 'constant(name:a)^1.5'],
  ['{"constant_score":{"filter":{"term":{"nope":"a"}}}}', '-*:*'],
  [
    '{"dis_max":{"queries":[{"term":{"name":"a"}},{"term":{"id":"b"}}],"tie_breaker":0.3}}',
    '(name:a | id.folded:b)~0.3',
  ],
  ['{"dis_max":{"queries":[{"term":{"name":"a"}},{"term":{"nope":"b"}}]}}', 'name:a'],
  [
    '{"query_string":{"query":"name:ada AND @accounts(x)"}}',
    '(+name:ada +(_all:accounts | _all.folded:"@accounts" | name:accounts^4) (_all:x | _all.folded:x | name:x^4))',
  ],
  ['{"query_string":{"query":"ada","default_field":"firstName"}}', 'firstName:ada'],
  [
    '{"query_string":{"query":"ada b-c","fields":["firstName","lastName^2"],"default_operator":"AND"}}',
    '(+(firstName:ada | lastName:ada^2) +((+firstName:b +firstName:c) | (+lastName:b +lastName:c)^2))',
  ],
  [
    '{"query_string":{"query":"name:a OR name:b name:c","default_operator":"and"}}',
    '(+name:c name:a name:b)',
  ],
  [
    '{"query_string":{"query":"name:a OR name:b AND name:c","default_operator":"and"}}',
    '(+name:b +name:c name:a)',
  ],
  // Lucene ignores a + beside OR where AND is the default.
  ['{"query_string":{"query":"name:a OR +name:b","default_operator":"and"}}', '(name:a name:b)'],
  ['{"query_string":{"query":"+name:a OR name:b","default_operator":"and"}}', '(name:a name:b)'],
  [
    '{"query_string":{"query":"name:a AND +name:b OR name:c","default_operator":"and"}}',
    '(+name:a name:b name:c)',
  ],
  ['{"query_string":{"query":"-name:a OR name:b","default_operator":"and"}}', '(name:b -name:a)'],
  ['{"query_string":{"query":"name:a -name:b","default_operator":"and"}}', '(+name:a -name:b)'],
  ['{"query_string":{"query":"accessCount:x name:a","lenient":true}}', 'name:a'],
  [
    '{"query_string":{"query":"created:2024-05-01","time_zone":"+02:00","analyze_wildcard":true}}',
    'created:[1714514400000 TO 1714600799999]',
  ],
  ['{"query_string":{"query":"name:ad*","boost":2}}', 'name:ad*^2'],
  ['{"query_string":{"query":"*"}}', '*:*'],
  ['{"simple_query_string":{"query":"ada + grace","fields":["name"]}}', '(+name:ada +name:grace)'],
  ['{"simple_query_string":{"query":"ada grace","fields":["name"]}}', '(name:ada name:grace)'],
  [
    '{"simple_query_string":{"query":"ada grace","fields":["name"],"default_operator":"and"}}',
    '(+name:ada +name:grace)',
  ],
  ['{"simple_query_string":{"query":"ada -grace","fields":["name"]}}', '(name:ada (-name:grace))'],
  [
    '{"simple_query_string":{"query":"ada + -grace","fields":["name"]}}',
    '(+name:ada +(-name:grace))',
  ],
  [
    '{"simple_query_string":{"query":"\\"ada lovelace\\"~2 | lo*","fields":["name"]}}',
    '(name:"ada lovelace"~2 name:lo*)',
  ],
  ['{"simple_query_string":{"query":"a + b | c","fields":["name"]}}', '((+name:a +name:b) name:c)'],
  [
    '{"simple_query_string":{"query":"a + (b | c)","fields":["name"]}}',
    '(+name:a +(name:b name:c))',
  ],
  [
    '{"simple_query_string":{"query":"(a \\"b)) + - ~ * adaa~1","fields":["name"]}}',
    '((name:a name:b) (_exists_:name name:adaa~1))',
  ],
  ['{"simple_query_string":{"query":"a\\\\*","fields":["name"]}}', 'name:a'],
  ['{"simple_query_string":{"query":"*"}}', '*:*'],
  ['{"simple_query_string":{"query":""}}', '-*:*'],
  ['{"simple_query_string":{"query":"ada","fields":["accessCount","name"]}}', 'name:ada'],
  ['{"simple_query_string":{"query":"ada"}}', '(_all:ada | _all.folded:ada | name:ada^4)'],
  [
    '{"simple_query_string":{"query":"a-b","fields":["name"],"default_operator":"and"}}',
    '(+name:a +name:b)',
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
