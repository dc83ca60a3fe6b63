import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { warningValue } from './warning-header.ts';

describe('a Warning header', () => {
  const table: readonly (readonly [texts: readonly string[], value: string])[] = [
    [[], ''],
    [['a'], '299 - "a"'],
    [['a', 'b, c'], '299 - "a", 299 - "b, c"'],
    [['say "x\\y"'], '299 - "say \\"x\\\\y\\""'],
    [['é\r\nX-Evil: 1\u0000😀'], '299 - "???X-Evil: 1???"'],
    [['x'.repeat(2000)], ''],
    [['a', 'x'.repeat(2000), 'b'], '299 - "a"'],
  ];
  for (const [texts, value] of table) {
    test(JSON.stringify(texts).slice(0, 50), () => assert.equal(warningValue(texts), value));
  }

  test('is never longer than a thousand characters', () => {
    const value = warningValue(Array.from({ length: 100 }, (_, n) => `"${n}"`));
    assert.ok(value.length <= 1000 && value.length > 900 && value.endsWith('"'));
  });
});
