// Requests of every kind, one per row, with their plan on the identities of a small tenant, and
// rejected requests.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planCount, planSearch, testContext } from '../../../test/support/query-context.ts';
import { ServiceError } from '../../errors.ts';
import { format } from '../explain/format.ts';

const DSL_EXAMPLE = 'queryDsl: expected an object, such as {"match": {"name": "ada"}}';

const MEANINGS: readonly (readonly [body: string, plan: readonly string[]])[] = [
  ['{"queryType":"TEXT","textQuery":{"terms":["Ada"],"fields":["name"]}}', ['name.folded:ada*']],
  [
    '{"queryType":"TEXT","textQuery":{"terms":["Ada"],"fields":["name"],"contains":true}}',
    ['name.folded:*ada*'],
  ],
  [
    '{"queryType":"TEXT","textQuery":{"terms":["Ada","B*"],"fields":["name","id"],"contains":true}}',
    ['(+(name.folded:*ada* | id.folded:*ada*) +(name.folded:*b\\** | id.folded:*b\\**))'],
  ],
  [
    '{"queryType":"TEXT","textQuery":{"terms":["Ada","Bo"],"fields":["name"],"matchAny":true}}',
    ['(name.folded:ada* name.folded:bo*)'],
  ],
  [
    '{"queryType":"TEXT","textQuery":{"terms":["Ada"," "],"fields":[" name ",""]}}',
    ['name.folded:ada*'],
  ],
  [
    '{"queryType":"TEXT","textQuery":{"terms":["Ada"],"fields":["name.exact"]}}',
    ['name.exact:Ada*'],
  ],
  [
    '{"queryType":"TEXT","textQuery":{"terms":["7","x"],"fields":["displayName","accessCount"],"matchAny":true}}',
    ['((displayName.folded:7* | accessCount=7) displayName.folded:x*)'],
  ],
  [
    '{"queryType":"TEXT","textQuery":{"terms":["true"],"fields":["inactive","name"]}}',
    ['(inactive=1 | name.folded:true*)'],
  ],
  [
    '{"queryType":"TEXT","textQuery":{"terms":["2024-05-01T00:00:00Z"],"fields":["created"]}}',
    ['created=1714521600000'],
  ],
  ['{"queryType":"TEXT","textQuery":{"terms":["2024"],"fields":["created"]}}', ['-*:*']],
  [
    '{"queryType":"TEXT","textQuery":{"terms":["HR"],"fields":["accounts.source.name","nope"]}}',
    ['@accounts(accounts.source.name.folded:hr*)'],
  ],
  ['{"queryType":"TEXT","textQuery":{"terms":["x"],"fields":["nope"]}}', ['-*:*']],
  ['{"queryType":"TEXT","textQuery":{"terms":["iden"],"fields":["_type"]}}', ['*:*']],
  [
    '{"queryType":"TEXT","textQuery":{"terms":["x"],"fields":["attributes.c*"]}}',
    ['attributes.city.folded:x*'],
  ],
  [
    '{"queryType":"TYPEAHEAD","typeAheadQuery":{"query":"Jo","field":"name"}}',
    ['name:"jo"*10', '  values of name:"jo"* where *:*', 'values: 100 by -count, 10 expansions'],
  ],
  [
    '{"queryType":"TYPEAHEAD","typeAheadQuery":{"query":"Ada Lo","field":"name","size":5,"sort":"asc","sortByValue":true,"maxExpansions":3}}',
    [
      'name:"ada lo"*3',
      '  values of name:"ada lo"* where *:*',
      'values: 5 by +value, 3 expansions',
    ],
  ],
  [
    '{"queryType":"TYPEAHEAD","typeAheadQuery":{"query":"Work","field":"source.name","nestedType":"access"}}',
    [
      '@access(access.source.name:"work"*10)',
      '  values of access.source.name:"work"* in access where *:*',
      'values: 100 by -count, 10 expansions',
    ],
  ],
  [
    '{"queryType":"TYPEAHEAD","typeAheadQuery":{"query":"Wo","field":"access.source.name"}}',
    [
      '@access(access.source.name:"wo"*10)',
      '  values of access.source.name:"wo"* in access where *:*',
      'values: 100 by -count, 10 expansions',
    ],
  ],
  [
    '{"queryType":"TYPEAHEAD","typeAheadQuery":{"query":"Ro","field":"type","nestedType":"access"}}',
    [
      '@access(access.type.folded:ro*)',
      '  values of access.type.folded:"ro"* in access where *:*',
      'values: 100 by -count, 10 expansions',
    ],
  ],
  [
    '{"queryType":"TYPEAHEAD","typeAheadQuery":{"query":"A b","field":"id"}}',
    [
      'id.folded:"a b"*',
      '  values of id.folded:"a b"* where *:*',
      'values: 100 by -count, 10 expansions',
    ],
  ],
  [
    '{"queryType":"TYPEAHEAD","typeAheadQuery":{"query":"Ad","field":"name.exact"}}',
    [
      'name.exact:Ad*',
      '  values of name.exact:"Ad"* where *:*',
      'values: 100 by -count, 10 expansions',
    ],
  ],
  [
    '{"queryType":"TYPEAHEAD","typeAheadQuery":{"query":"x","field":"nope"}}',
    ['-*:*', 'values: 100 by -count, 10 expansions'],
  ],
  [
    '{"queryType":"TYPEAHEAD","typeAheadQuery":{"query":"x","field":"name","nestedType":"nope"}}',
    ['-*:*', 'values: 100 by -count, 10 expansions'],
  ],
  [
    '{"queryType":"TYPEAHEAD","typeAheadQuery":{"query":"","field":"name"}}',
    ['-*:*', 'values: 100 by -count, 10 expansions'],
  ],
  [
    '{"queryType":"TYPEAHEAD","typeAheadQuery":{"query":"--","field":"name"}}',
    ['-*:*', 'values: 100 by -count, 10 expansions'],
  ],
  [
    '{"queryType":"TYPEAHEAD","typeAheadQuery":{"query":"Jo","field":"name"},"filters":{"inactive":{"type":"TERMS","terms":["true"]}},"sort":["nope"],"searchAfter":[1]}',
    [
      '(+name:"jo"*10 #inactive=1)',
      '  values of name:"jo"* where (+*:* #inactive=1)',
      'values: 100 by -count, 10 expansions',
    ],
  ],
  [
    '{"query":{"query":"ada","innerHit":{"query":"type:ROLE AND audit","type":"access"}}}',
    [
      '(+(_all:ada | _all.folded:ada | name:ada^4) #@access[none](+access.type.folded:role +(access.attribute:audit | access.description:audit | access.displayName:audit | access.id.folded:audit | access.name:audit | access.owner.displayName:audit | access.owner.id.folded:audit | access.owner.name:audit | access.schema:audit | access.source.id.folded:audit | access.source.name:audit | access.type.folded:audit | access.value:audit)))',
      '  elements of access: (+access.type.folded:role +(access.attribute:audit | access.description:audit | access.displayName:audit | access.id.folded:audit | access.name:audit | access.owner.displayName:audit | access.owner.id.folded:audit | access.owner.name:audit | access.schema:audit | access.source.id.folded:audit | access.source.name:audit | access.type.folded:audit | access.value:audit))',
    ],
  ],
  [
    '{"query":{"query":"*","innerHit":{"query":"*","type":"accounts"}}}',
    ['(+*:* #@accounts[none](*:*))', '  elements of accounts: *:*'],
  ],
  [
    '{"query":{"query":"name:a","innerHit":{"query":"source.name:\\\\\\"Active Directory\\\\\\"","type":"access"},"fields":["name"]}}',
    [
      '(+name:a #@access[none](access.source.name:active (access.attribute:directory | access.description:directory | access.displayName:directory | access.id.folded:"directory\\"" | access.name:directory | access.owner.displayName:directory | access.owner.id.folded:"directory\\"" | access.owner.name:directory | access.schema:directory | access.source.id.folded:"directory\\"" | access.source.name:directory | access.type.folded:"directory\\"" | access.value:directory)))',
      '  elements of access: (access.source.name:active (access.attribute:directory | access.description:directory | access.displayName:directory | access.id.folded:"directory\\"" | access.name:directory | access.owner.displayName:directory | access.owner.id.folded:"directory\\"" | access.owner.name:directory | access.schema:directory | access.source.id.folded:"directory\\"" | access.source.name:directory | access.type.folded:"directory\\"" | access.value:directory))',
    ],
  ],
  [
    '{"query":{"query":"nope:x","innerHit":{"query":"x","type":"access"}}}',
    [
      '-*:*',
      '  elements of access: (access.attribute:x | access.description:x | access.displayName:x | access.id.folded:x | access.name:x | access.owner.displayName:x | access.owner.id.folded:x | access.owner.name:x | access.schema:x | access.source.id.folded:x | access.source.name:x | access.type.folded:x | access.value:x)',
    ],
  ],
  ['{"query":{"query":"*","innerHit":{"query":"nope:x","type":"access"}}}', ['-*:*']],
  [
    '{"query":{"query":"*","innerHit":{"query":"created:2024-05-01","type":"@accounts"},"timeZone":"+02:00"}}',
    [
      '(+*:* #@accounts[none](accounts.created:[1714514400000 TO 1714600799999]))',
      '  elements of accounts: accounts.created:[1714514400000 TO 1714600799999]',
    ],
  ],
  [
    '{"query":{"query":"*","innerHit":{"query":"name:a","type":"access"}},"filters":{"inactive":{"type":"TERMS","terms":["false"]}},"sort":["-created"]}',
    [
      '(+(+*:* #@access[none](access.name:a)) #inactive=0)',
      '  elements of access: access.name:a',
      'sort: -created number',
    ],
  ],
  [
    '{"queryType":null,"query":{"query":"name:a"},"queryDsl":3,"textQuery":"x","typeAheadQuery":[]}',
    ['name:a'],
  ],
  ['{"queryType":"DSL","query":3,"queryDsl":{"match":{"name":"a"}},"textQuery":false}', ['name:a']],
  [
    '{"queryType":"TEXT","query":[],"textQuery":{"terms":["a"],"fields":["name"],"nope":1}}',
    ['name.folded:a*'],
  ],
  ['{"query":{"query":"name:a","innerHit":null}}', ['name:a']],
  [
    '{"queryType":"DSL","queryDsl":{"match":{"name":"a"}},"filters":{"created":{"type":"RANGE","range":{"lower":{"value":"2024","inclusive":true}}}},"sort":["name"],"searchAfter":["x"]}',
    ['(+name:a #created:[1704067200000 TO *])', 'sort: +name', 'after: ["x"]'],
  ],
];

const FAULTS: readonly (readonly [body: string, code: string, cause: string])[] = [
  ['{"queryType":"TEXT"}', 'request_invalid', 'textQuery: is required for queryType TEXT'],
  [
    '{"queryType":"TEXT","textQuery":{"fields":["a"]}}',
    'request_invalid',
    'textQuery.terms: needs at least one term that is not blank',
  ],
  [
    '{"queryType":"TEXT","textQuery":{"terms":["a"]}}',
    'request_invalid',
    'textQuery.fields: needs at least one field',
  ],
  [
    '{"queryType":"TEXT","textQuery":{"terms":[" "],"fields":["a"]}}',
    'request_invalid',
    'textQuery.terms: needs at least one term that is not blank',
  ],
  [
    '{"queryType":"TEXT","textQuery":{"terms":["a"],"fields":[]}}',
    'request_invalid',
    'textQuery.fields: needs at least one field',
  ],
  [
    '{"queryType":"TEXT","textQuery":{"terms":"a","fields":["a"]}}',
    'body_malformed',
    'textQuery.terms: expected an array of strings',
  ],
  [
    '{"queryType":"TEXT","textQuery":{"terms":["a"],"fields":["a"],"matchAny":"x"}}',
    'body_malformed',
    'textQuery.matchAny: expected true or false',
  ],
  [
    '{"queryType":"TEXT","textQuery":{"terms":[1],"fields":["a"]}}',
    'body_malformed',
    'textQuery.terms: expected an array of strings',
  ],
  [
    '{"queryType":"TYPEAHEAD"}',
    'request_invalid',
    'typeAheadQuery: is required for queryType TYPEAHEAD',
  ],
  [
    '{"queryType":"TYPEAHEAD","typeAheadQuery":{"field":"name"}}',
    'request_invalid',
    'typeAheadQuery.query: is required',
  ],
  [
    '{"queryType":"TYPEAHEAD","typeAheadQuery":{"query":"x"}}',
    'request_invalid',
    'typeAheadQuery.field: is required',
  ],
  [
    '{"queryType":"TYPEAHEAD","typeAheadQuery":{"query":"x","field":" "}}',
    'request_invalid',
    'typeAheadQuery.field: is required',
  ],
  [
    '{"queryType":"TYPEAHEAD","typeAheadQuery":{"query":"x","field":"name","size":0}}',
    'request_invalid',
    'typeAheadQuery.size: expected a whole number from 1 to 2147483647, not 0',
  ],
  [
    '{"queryType":"TYPEAHEAD","typeAheadQuery":{"query":"x","field":"name","size":1.5}}',
    'request_invalid',
    'typeAheadQuery.size: expected a whole number from 1 to 2147483647, not 1.5',
  ],
  [
    '{"queryType":"TYPEAHEAD","typeAheadQuery":{"query":"x","field":"name","maxExpansions":0}}',
    'request_invalid',
    'typeAheadQuery.maxExpansions: expected a whole number from 1 to 1000, not 0',
  ],
  [
    '{"queryType":"TYPEAHEAD","typeAheadQuery":{"query":"x","field":"name","maxExpansions":1001}}',
    'request_invalid',
    'typeAheadQuery.maxExpansions: expected a whole number from 1 to 1000, not 1001',
  ],
  [
    '{"queryType":"TYPEAHEAD","typeAheadQuery":{"query":"x","field":"name","sort":"up"}}',
    'request_invalid',
    'typeAheadQuery.sort: "up" is none of asc, desc',
  ],
  [
    '{"queryType":"TYPEAHEAD","typeAheadQuery":{"query":"x","field":"name","size":"5"}}',
    'body_malformed',
    'typeAheadQuery.size: expected a number',
  ],
  [
    '{"queryType":"TYPEAHEAD","typeAheadQuery":{"query":"x","field":"accessCount"}}',
    'request_invalid',
    'typeAheadQuery.field: accessCount holds no text on identities',
  ],
  [
    '{"queryType":"TYPEAHEAD","typeAheadQuery":{"query":3,"field":"accessCount"}}',
    'body_malformed',
    'typeAheadQuery.query: expected a string',
  ],
  [
    '{"query":{"query":"*","innerHit":{"query":"x"}}}',
    'request_invalid',
    'query.innerHit.type: is required',
  ],
  [
    '{"query":{"query":"*","innerHit":{"type":"access"}}}',
    'request_invalid',
    'query.innerHit.query: is required and must not be blank; * finds every element',
  ],
  [
    '{"query":{"query":"*","innerHit":{"query":" ","type":"access"}}}',
    'request_invalid',
    'query.innerHit.query: is required and must not be blank; * finds every element',
  ],
  [
    '{"query":{"query":"*","innerHit":{"query":"x","type":"nope"}}}',
    'request_invalid',
    'query.innerHit.type: "nope" is not a nested type of the requested indices, expected access, accounts, apps',
  ],
  [
    '{"query":{"query":"*","innerHit":{"query":"(x","type":"access"}}}',
    'query_malformed',
    'query.innerHit.query: Query string, offset 2: unexpected end of the query, expected ) for the ( at offset 0',
  ],
  [
    '{"query":{"query":"*","innerHit":{"query":"disabled:maybe","type":"accounts"}}}',
    'query_malformed',
    'query.innerHit.query: Query string, offset 9: "maybe" is not what the field accounts.disabled holds, expected true or false',
  ],
  [
    '{"query":{"query":"*","innerHit":{"query":3,"type":"access"}}}',
    'body_malformed',
    'query.innerHit.query: expected a string',
  ],
  [
    '{"query":{"query":"*","innerHit":"x"}}',
    'body_malformed',
    'query.innerHit: expected an object',
  ],
  [
    '{"query":{"query":"*","innerHit":{"query":"x","type":"segments"}}}',
    'request_invalid',
    'query.innerHit.type: "segments" is not a nested type of the requested indices, expected access, accounts, apps',
  ],
  ['{"queryType":"DSL"}', 'request_invalid', 'queryDsl: is required for queryType DSL'],
  ['{"queryType":"DSL","queryDsl":3}', 'body_malformed', DSL_EXAMPLE],
  ['{"queryType":"DSL","queryDsl":[]}', 'body_malformed', DSL_EXAMPLE],
  [
    '{"queryType":"DSL","queryDsl":null}',
    'request_invalid',
    'queryDsl: is required for queryType DSL',
  ],
  [
    '{"queryType":"dsl"}',
    'request_invalid',
    'queryType: "dsl" is none of DSL, SAILPOINT, TEXT, TYPEAHEAD',
  ],
  ['{"queryType":3}', 'body_malformed', 'queryType: expected a string'],
];

const context = testContext();

for (const [body, expected] of MEANINGS) {
  test(`plans ${body}`, () => {
    const plan = planSearch({ indices: ['identities'], ...JSON.parse(body) }, {}, context);
    const lines = format(plan)
      .split('\n')
      .filter((line) => line !== 'rows: 0 + 250')
      .map((line) => line.replace(/^identities: /, ''));
    assert.deepEqual(lines, expected);
    assert.deepEqual(JSON.parse(JSON.stringify(plan)), plan);
  });
}

for (const [body, code, cause] of FAULTS) {
  test(`rejects ${body}: ${cause}`, () => {
    const request = { indices: ['identities'], ...JSON.parse(body) };
    for (const plan of [
      () => planSearch(request, {}, context),
      () => planCount(request, context),
    ]) {
      assert.throws(plan, (error) => {
        assert.ok(error instanceof ServiceError);
        assert.equal(error.code, code);
        const [first, ...others] = error.details.causes ?? [];
        assert.equal(first, cause);
        assert.equal(others.length, error.details.offset === undefined ? 0 : 1);
        return true;
      });
    }
  });
}

test('an inner hit matches only indexes that have the array', () => {
  const body = { query: { query: '*', innerHit: { query: '*', type: 'entitlements' } } };
  const { targets } = planSearch(body, {}, context);
  const matching = targets.filter(({ innerHit }) => innerHit !== undefined);
  assert.deepEqual(
    matching.map(({ index }) => index),
    ['accessprofiles', 'roles'],
  );
  for (const { query, innerHit } of targets) {
    assert.equal(query.kind, innerHit === undefined ? 'matchNone' : 'bool');
  }
});

test('a count of a type-ahead counts documents', () => {
  const body = { queryType: 'TYPEAHEAD', typeAheadQuery: { query: 'Jo', field: 'name' } };
  const plan = planCount({ indices: ['identities'], ...body }, context);
  assert.equal(
    format(plan),
    'identities: name:"jo"*10\nrows: 0 + 0 of the exact total\nwithout nested members',
  );
});

test('validates the page parameters of a type-ahead', () => {
  const body = { queryType: 'TYPEAHEAD', typeAheadQuery: { query: 'Jo', field: 'name' } };
  assert.throws(() => planSearch(body, { limit: '-1' }, context), { code: 'request_invalid' });
  assert.equal(planSearch(body, { count: 'true' }, context).trackTotal, true);
});
