// The views that docs/views.md makes without private data, on the documents of the demo company: what
// they hide must not be in another field.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { demoDocuments } from '../../src/demo/documents.ts';
import { HiddenFields } from '../../src/query/visibility/hidden-fields.ts';
import { CHECKOUT } from '../mutation/built-copy.ts';

const page = readFileSync(join(CHECKOUT, 'docs/views.md'), 'utf8');
const NOW = Date.parse('2025-06-30T00:00:00.000Z');
const SHOWN = ['identity', 'role'];

type Document = Record<string, unknown>;

let documents: readonly Document[];
/** Addresses and telephone numbers of all people. */
const secrets = new Set<unknown>();
before(() => {
  const all = [...demoDocuments({ seed: 7, identities: 300, now: NOW })];
  documents = all.filter(({ _type }) => SHOWN.includes(String(_type)));
  for (const { _type, email, phone } of documents) {
    if (_type === 'identity') for (const value of [email, phone]) secrets.add(value);
  }
  secrets.delete(undefined);
  assert.ok(secrets.size > 500, `${secrets.size} private values`);
});

/** The fields that an example hides, by the name of its view. */
function hiddenBy(name: string): readonly string[] {
  const command = new RegExp(`cardea view create ${name} (?:.*\\\\\\n)*.*`).exec(page)?.[0];
  if (command !== undefined)
    return [...command.matchAll(/--hide (\S+)/g)].map(([, field = '']) => field);
  const json = [...page.matchAll(/```json\n([^`]*)```/g)].map(([, text = '']) => JSON.parse(text));
  return json.find((view) => view.name === name)?.hide ?? [];
}

function* valuesOf(value: unknown, path: string): Generator<[path: string, value: unknown]> {
  if (typeof value !== 'object' || value === null) yield [path, value];
  else {
    for (const [name, inner] of Object.entries(value)) {
      yield* valuesOf(inner, Array.isArray(value) ? path : `${path}.${name}`);
    }
  }
}

for (const name of ['contractors', 'assistant', 'staging']) {
  test(`no address and no telephone number is left in the view ${name}`, () => {
    const hide = hiddenBy(name);
    assert.ok(hide.length >= 5, hide.join(', '));
    const hidden = new HiddenFields(hide);
    const left = new Set<string>();
    for (const document of documents) {
      for (const [path, value] of valuesOf(hidden.visibleMembers(document, ''), '')) {
        if (secrets.has(value) || /@.+\./.test(String(value))) left.add(path.slice(1));
      }
    }
    assert.deepEqual([...left], []);
  });
}
