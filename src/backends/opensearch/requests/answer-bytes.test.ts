import assert from 'node:assert/strict';
import { test } from 'node:test';
import { staticMapping } from '../../../query/mapping/document-types.ts';
import { parseAnswer } from './answer-bytes.ts';
import { DocumentWriter } from './documents.ts';

const MAPPING = staticMapping('identities', { name: 'acme', pod: 'cardea' });
const encoder = new TextEncoder();
const decoder = new TextDecoder();
const DAY = '2024-05-31T00:00:00Z';

const DOCUMENTS: readonly (readonly [root: string, nested: string])[] = [
  ['{"id":"a","name":"Ada"}', ''],
  ['{"id":"b"}', '"apps":[{"id":"1","name":"x}]\\"{"},{}],"access":[],"accounts":[{"a":{"b":{}}}]'],
  [
    '{"id":"bb"}',
    `"accounts":[{"created":["${DAY}","${DAY}"]},{"id":"1"},{"id":"2","created":["${DAY}","${DAY}"]}]`,
  ],
  ['{"id":"c","name":"Ōsaka \\"_source\\":{\\"%source\\":\\""}', '"apps":[{"name":"Škoda"}]'],
  ['{}', ''],
  ['{"id":"d","name":7,"note":"\\\\"}', '"apps":[[{"id":"1"}],{"id":2}]'],
  ['{"id":"e","_source":{"%source":"1 2 3"}}', '"apps":[{"_source":{"%source":"9"}}]'],
];

test('cuts documents out of an answer unchanged, and parses the rest', () => {
  const writer = new DocumentWriter(MAPPING);
  const hits = DOCUMENTS.map(([root, nested], at) => {
    const parts = { root: encoder.encode(root), nested: encoder.encode(nested) };
    const document = { index: 'identities', id: `d${at}`, ...parts } as const;
    const source = writer.write({ tenantId: 't', sequence: at, document }).toString();
    assert.equal((JSON.parse(source) as { '%id': string })['%id'], `d${at}`);
    assert.equal(source.includes('%repeats'), root.includes('bb'));
    return `{"_id":"\\"_source\\":{\\"%source\\":\\"${at}","_source":${source},"sort":[${at}]}`;
  });
  const one = `{"timed_out":false,"hits":{"hits":[${hits.join(',')},{"sort":[9]}]}}`;
  for (const text of [one, `{"responses":[${one},{"error":{}},${one}]}`]) {
    const answer = parseAnswer(Buffer.from(text)).value as Answer & {
      readonly responses?: Answer[];
    };
    for (const { hits: found } of answer.responses ?? [answer]) {
      if (found === undefined) continue;
      const read = found.hits.map(({ sort, source }) => [
        sort[0],
        ...(source === undefined
          ? []
          : [decoder.decode(source.parts.root), decoder.decode(source.parts.nested)]),
      ]);
      assert.deepEqual(read, [...DOCUMENTS.map((parts, at) => [at, ...parts]), [9]]);
    }
  }
});

interface Answer {
  readonly hits?: {
    readonly hits: {
      readonly sort: number[];
      readonly source?: { readonly parts: Readonly<Record<'root' | 'nested', Uint8Array>> };
    }[];
  };
}

const PARTS = { root: encoder.encode('{"id":"a","name":"Ada"}'), nested: encoder.encode('') };
const SOURCE = new DocumentWriter(MAPPING)
  .write({ tenantId: 't', sequence: 7, document: { index: 'identities', id: 'a', ...PARTS } })
  .toString();
/** What another program makes of a source. */
const ALTERED: readonly (readonly [what: string, text: string])[] = [
  ['other spacing', JSON.stringify(JSON.parse(SOURCE), null, 1)],
  ['a changed letter', SOURCE.replaceAll('Ada', 'Eve')],
  ['a cut text', SOURCE.replaceAll('Ada', '')],
  ['a longer text', SOURCE.replaceAll('Ada', 'Ada'.repeat(99))],
  ['another member', `${SOURCE.slice(0, -1)},"more":1}`],
  ['no places', '{"id":"a"}'],
  ['places of nothing', '{"%source":"","id":"a"}'],
  ['places that are no numbers', '{"%source":"a b c","id":"a"}'],
  ['places beyond the answer', '{"%source":"1 2 3 99999999 1 2 3 4","id":"a"}'],
  ['an array of places', '{"%source":["1"],"id":"a"}'],
];
for (const [what, altered] of ALTERED) {
  for (const version of ['"_version":8,', '']) {
    test(`takes a source with ${what} for one that was not fed, ${version || 'without a version'}`, () => {
      const hit = (source: string) => `{"_id":"a",${version}"_source":${source},"sort":[1]}`;
      const sources = [SOURCE, altered, SOURCE];
      const answer = parseAnswer(Buffer.from(`{"hits":{"hits":[${sources.map(hit).join(',')}]}}`));
      const hits = (answer.value as Answer).hits?.hits ?? [];
      const roots = hits.map(({ source }) => source && decoder.decode(source.parts.root));
      assert.deepEqual(roots, ['{"id":"a","name":"Ada"}', null, '{"id":"a","name":"Ada"}']);
      assert.deepEqual(
        hits.map(({ sort }) => sort),
        [[1], [1], [1]],
      );
    });
  }
}
