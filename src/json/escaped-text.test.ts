import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { escapeLine, escapeLines, PieceEscaper } from './escaped-text.ts';

/** Every character of a range as code points. */
const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at);
const ACTIVE = [
  ...[range(0x00, 0x1f), range(0x7f, 0x9f), range(0x2028, 0x202e), range(0x2066, 0x206f)].flat(),
  ...[0x061c, 0x200e, 0x200f, 0xfff9, 0xfffa, 0xfffb],
];

test('escapes every control and every character that reorders text, and nothing else', () => {
  const escaped = range(0, 0x1_ffff).filter((code) => {
    const character = String.fromCodePoint(code);
    return escapeLine(character) !== character;
  });
  assert.deepEqual(
    escaped,
    [...ACTIVE].sort((a, b) => a - b),
  );
  for (const code of ACTIVE) {
    const escaped = `\\u${code.toString(16).padStart(4, '0')}`;
    assert.equal(escapeLine(`a${String.fromCodePoint(code)}b`), `a${escaped}b`);
  }
});

const LINES: readonly (readonly [text: string, escaped: string])[] = [
  ['a\nb\tc\r\n', 'a\nb\tc\r\n'],
  ['overwritten\rby', 'overwritten\\u000dby'],
  ['\r\r\n', '\\u000d\r\n'],
  ['\u001b]0;title\u0007\u009b1m\u202e', '\\u001b]0;title\\u0007\\u009b1m\\u202e'],
  ['ö 山田 👩‍💻 שלום', 'ö 山田 👩‍💻 שלום'],
];
for (const [text, escaped] of LINES) {
  test(`keeps line breaks and tabs: ${JSON.stringify(text)}`, () => {
    assert.equal(escapeLines(text), escaped);
    assert.equal(escapeLines(escaped), escaped, 'once escaped it stays as it is');
  });
}

test('JSON stays equivalent JSON', () => {
  const value = String.fromCodePoint(...ACTIVE, 0x41);
  const text = escapeLines(`${JSON.stringify({ [value]: value }, null, 1)}\n`);
  assert.deepEqual(JSON.parse(text), { [value]: value });
  assert.doesNotMatch(text.replaceAll('\n', ''), /[\p{Cc}\p{Bidi_Control}]/u);
});

describe('a text in pieces', () => {
  const text = 'é\r\n\u009b山\u202e,"a\rb"\r\n';
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at <= bytes.length; at++) {
    test(`is escaped alike, cut at byte ${at}`, () => {
      const escaper = new PieceEscaper();
      const pieces = [bytes.subarray(0, at), bytes.subarray(at)];
      assert.equal(pieces.map((piece) => escaper.escape(piece)).join(''), escapeLines(text));
    });
  }
});
