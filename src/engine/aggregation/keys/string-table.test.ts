import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../../../test/differential/random.ts';
import { compareCodePoints, encodeText } from '../../fields/utf8.ts';
import { StringTable } from './string-table.ts';

test('strings get numbers in the order they come, and compare as they are written', () => {
  const random = new Random(9);
  const table = new StringTable();
  const known: string[] = [];
  for (let time = 0; time < 3000; time++) {
    const text = random.pick(['', 'x', 'é', '\u{1f600}', '\uffee']) + random.int(200);
    if (!known.includes(text)) known.push(text);
    const bytes = encodeText(`>${text}<`);
    const number = random.chance(0.5) ? table.addText(text) : table.add(bytes, 1, bytes.length - 1);
    assert.equal(number, known.indexOf(text));
  }
  assert.equal(table.size, known.length);
  for (const [number, text] of known.entries()) {
    assert.equal(table.text(number), text);
    const other = random.int(known.length);
    assert.equal(
      Math.sign(table.compare(number, other)),
      Math.sign(compareCodePoints(text, known[other]!)),
    );
  }
});
