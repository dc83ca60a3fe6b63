import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonSource, type SourceLine } from './json-source.ts';

/** Splits `text`, fed in chunks of `size` bytes; each result is `line: text` or `line! fault`. */
async function split(
  text: string | Uint8Array,
  size: number,
  maxBytes?: number,
): Promise<string[]> {
  const bytes = Buffer.from(text as string);
  async function* chunks() {
    for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
  }
  const lines: SourceLine[] = [];
  for await (const line of jsonSource(chunks(), maxBytes === undefined ? {} : { maxBytes })) {
    lines.push(line);
  }
  return lines.map(({ line, text, fault }) =>
    fault === undefined ? `${line}: ${Buffer.from(text as Uint8Array)}` : `${line}! ${fault}`,
  );
}

const CUT = 'the array is cut off: the source ends before its closing bracket';

const cases: [name: string, text: string, expected: string[]][] = [
  ['an empty source has no texts', '', []],
  ['a blank source has no texts', ' \r\n\t\n', []],
  [
    'lines end with LF or CRLF, the last one with the source',
    '{"a":1}\r\n{"b":2}\n{"c":3}',
    ['1: {"a":1}', '2: {"b":2}', '3: {"c":3}'],
  ],
  [
    'blank lines are counted but have no text',
    '\n\n{"a":1}\n \r\n\n{"b":2}\n',
    ['3: {"a":1}', '6: {"b":2}'],
  ],
  ['passes on a line that is not JSON', 'oops\n{"a":1}\n', ['1: oops', '2: {"a":1}']],
  ['skips a byte order mark', '\ufeff{"a":1}\n', ['1: {"a":1}']],
  [
    'splits an array into its elements',
    '[{"a":[1,{"b":"]"}]},{"c":"},{\\""}]',
    ['1: {"a":[1,{"b":"]"}]}', '1: {"c":"},{\\""}'],
  ],
  [
    'elements have their line numbers',
    '\n[\n  {"a":\n1},\n\n  {"b":2}\n]\n',
    ['3: {"a":\n1}', '6: {"b":2}'],
  ],
  ['an empty array has no texts', ' [ ] ', []],
  ['accepts any JSON as elements', '[1, "a,]" ,null]', ['1: 1', '1: "a,]"', '1: null']],
  [
    'a truncated array keeps its complete elements and reports a fault',
    '[{"a":1},{"b":',
    ['1: {"a":1}', `1! ${CUT}`],
  ],
  ['reports an array with only an opening bracket', '[', [`1! ${CUT}`]],
  ['reports a truncated string', '[{"a":1},{"b":"x]', ['1: {"a":1}', `1! ${CUT}`]],
  [
    'reports a missing element',
    '[{"a":1},,{"b":2}]',
    ['1: {"a":1}', '1! an element of the array is missing'],
  ],
  [
    'reports a trailing comma',
    '[{"a":1},]',
    ['1: {"a":1}', '1! an element of the array is missing'],
  ],
  [
    'reports text after the array',
    '[{"a":1}]\n{"b":2}',
    ['1: {"a":1}', '2! text after the end of the array'],
  ],
];

for (const [name, text, expected] of cases) {
  test(name, async () => {
    for (const size of [1, 2, 3, 7, 1000]) assert.deepEqual(await split(text, size), expected);
  });
}

test('reports a text over the limit, and keeps the others', async () => {
  const long = `{"a":"${'x'.repeat(100)}"}`;
  const fault = 'longer than the limit of 20 bytes';
  for (const size of [1, 16, 1000]) {
    assert.deepEqual(await split(`{"b":1}\n${long}\n{"c":2}\n`, size, 20), [
      ...['1: {"b":1}', `2! ${fault}`, '3: {"c":2}'],
    ]);
    assert.deepEqual(await split(`[{"b":1},\n${long},{"c":2}]`, size, 20), [
      ...['1: {"b":1}', `2! ${fault}`, '2: {"c":2}'],
    ]);
  }
});

test('stops reading a source that cannot be split', async () => {
  let chunks = 0;
  async function* endless() {
    for (;;) {
      chunks++;
      yield Buffer.from('[] x');
    }
  }
  for await (const line of jsonSource(endless())) assert.match(line.fault ?? '', /after the end/);
  assert.equal(chunks, 1);
});
