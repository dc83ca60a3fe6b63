import assert from 'node:assert/strict';
import { test } from 'node:test';
import { staticMapping } from '../../query/mapping/document-types.ts';
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
    const source = writer.write({ index: 'identities', id: `d${at}`, ...parts }).toString();
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
      const read = found.hits.map(({ sort, parts }) => [
        sort[0],
        ...(parts === undefined ? [] : [decoder.decode(parts.root), decoder.decode(parts.nested)]),
      ]);
      assert.deepEqual(read, [...DOCUMENTS.map((parts, at) => [at, ...parts]), [9]]);
    }
  }
});

interface Answer {
  readonly hits?: {
    readonly hits: {
      readonly sort: number[];
      readonly parts?: { readonly root: Uint8Array; readonly nested: Uint8Array };
    }[];
  };
}
