// The rules that `npm run check` has for the OpenAPI document, and its examples: each is what its schema allows.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import type { Json } from '../../scripts/openapi-lists.ts';
import { brokenRules, type Example, examplesOf } from '../../scripts/openapi-rules.ts';
import { allows, openapi } from '../support/openapi.ts';

const document = openapi as Json;

test('the document keeps the rules', () => {
  assert.deepEqual(brokenRules(document), []);
});

test('every example is what its schema allows', () => {
  const examples = examplesOf(document);
  assert.ok(examples.length > 1000, `${examples.length} examples`);
  const distinct = new Map(examples.map((example) => [keyOf(example), example]));
  for (const { at, schema, value } of distinct.values()) {
    // Media types of lines and cells have a text.
    if (typeof value === 'string') continue;
    assert.equal(allows(schema, value), null, at);
  }
});

function keyOf({ schema, value }: Example): string {
  return JSON.stringify([schema, value]);
}

const NEW = { operationId: 'getThing', tags: ['Things'], summary: 'Read a thing' };
const MEDIA = { 'application/json': { schema: { type: 'object' } } };
const withOperation = (operation: object, method = 'get') => ({
  ...document,
  paths: { '/things': { [method]: { responses: {}, ...NEW, ...operation } } },
});

const BROKEN: readonly (readonly [string, Json, RegExp])[] = [
  ['a summary without a verb', withOperation({ summary: 'Things' }), /"Things" begins with none/],
  ['a summary with the verb of another method', withOperation({}, 'delete'), /begins with none/],
  [
    'a parameter without a description',
    withOperation({ parameters: [{ name: 'size', in: 'query' }] }),
    /parameter size has no description/,
  ],
  [
    'a body without an example',
    withOperation({ requestBody: { content: MEDIA } }),
    /body application\/json: no example/,
  ],
  [
    'a success without an example',
    withOperation({ responses: { 200: { content: MEDIA } } }),
    /200 application\/json: no example/,
  ],
  [
    'an error without an example',
    withOperation({ responses: { 400: { content: MEDIA } } }),
    /400 application\/json: no example/,
  ],
  [
    'a tag of too many operations',
    {
      ...document,
      paths: Object.fromEntries(
        Array.from({ length: 26 }, (_, at) => [`/${at}`, { get: { ...NEW, responses: {} } }]),
      ),
    },
    /tag Things has 26 operations/,
  ],
];

for (const [title, changed, expected] of BROKEN) {
  test(`${title} breaks a rule`, () => {
    const broken = brokenRules(changed);
    assert.equal(broken.length, 1, broken.join('\n'));
    assert.match(broken[0] ?? '', expected);
  });
}

test('links to the guide name its pages, and no text is the name of a file', () => {
  const source = readFileSync('docs/openapi.source.yaml', 'utf8');
  const names = [...source.matchAll(/\]\(guide:([\w-]+)/g)].map(([, name]) => name);
  assert.ok(names.length > 5);
  for (const name of names) assert.ok(existsSync(`docs/${name}.md`), name);
  assert.doesNotMatch(JSON.stringify(parse(source)), /docs\/[\w-]+\.md|guide: /);
});
