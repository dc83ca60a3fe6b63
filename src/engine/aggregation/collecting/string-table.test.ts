import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../../../test/differential/random.ts';
import { compareCodePoints, encodeText } from '../../sections/utf8.ts';
import { StringTable } from './string-table.ts';

test('strings get numbers in order of appearance and compare by code points', () => {
  const random = new Random(9);
  const table = new StringTable();
  const texts: string[] = [];
  for (let time = 0; time < 3000; time++) {
    const text = random.pick(['', 'x', 'é', '\u{1f600}', '\uffee']) + random.int(200);
    if (!texts.includes(text)) texts.push(text);
    const bytes = encodeText(`>${text}<`);
    const number = random.chance(0.5) ? table.addText(text) : table.add(bytes, 1, bytes.length - 1);
    assert.equal(number, texts.indexOf(text));
  }
  assert.equal(table.size, texts.length);
  for (const [number, text] of texts.entries()) {
    assert.equal(table.text(number), text);
    const other = random.int(texts.length);
    assert.equal(
      Math.sign(table.compare(number, other)),
      Math.sign(compareCodePoints(text, texts[other]!)),
    );
  }
});
