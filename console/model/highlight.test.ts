import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../test/support/any-text.ts';
import { piecesOf } from './highlight.ts';

const check = (text: string, expected: string) =>
  test(`highlights ${JSON.stringify(text)}`, () => {
    const shown = piecesOf(text)
      .filter(({ kind }) => kind !== 'blank')
      .map((piece) => `${piece.kind}<${piece.text}>`)
      .join(' ');
    assert.equal(shown, expected);
  });

check('name:Ada', 'field<name> sign<:> word<Ada>');
check('a AND NOT b', 'word<a> operator<AND> operator<NOT> word<b>');
check('ANDREW ORD', 'word<ANDREW> word<ORD>');
check('"two words" OR b', 'phrase<"two words"> operator<OR> word<b>');
check('name:"not closed', 'field<name> sign<:> phrase<"not closed>');
check(
  '@accounts(disabled:true)',
  'nested<@accounts> bracket<(> field<disabled> sign<:> literal<true> bracket<)>',
);
check('@apps.name:x', 'nested<@apps.name> sign<:> word<x>');
check('mail:ada@example', 'field<mail> sign<:> word<ada@example>');
check(
  'created:[2024-01-01 TO now-30d/d}',
  'field<created> sign<:> bracket<[> literal<2024-01-01> operator<TO> literal<now-30d/d> bracket<}>',
);
check('accessCount:>=9', 'field<accessCount> sign<:> sign<>=> literal<9>');
check('name:/a.*b/', 'field<name> sign<:> regexp</a.*b/>');
check('km/h', 'word<km/h>');
check('displayName:har*', 'field<displayName> sign<:> pattern<har*>');
check('a\\*b', 'word<a\\*b>');
check('attributes.\\*:Nairobi', 'field<attributes.\\*> sign<:> word<Nairobi>');
check('created:2022-06-29T03\\:47', 'field<created> sign<:> literal<2022-06-29T03\\:47>');
check('-email:* +a', 'sign<-> field<email> sign<:> pattern<*> sign<+> word<a>');
check('Hugehs~1 "a b"^2.5', 'word<Hugehs> sign<~1> phrase<"a b"> sign<^2.5>');

test('covers any text with its pieces, without gap or overlap', () => {
  const text = fc.oneof(
    anyText(),
    fc
      .array(fc.constantFrom('a', ' ', '"', '\\', '(', ')', ':', '@', '/', '[', '*', 'AND', '😀'))
      .map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(text, (query) => {
      const pieces = piecesOf(query);
      assert.equal(pieces.map((piece) => piece.text).join(''), query);
      for (const { text: part, start } of pieces)
        assert.equal(query.slice(start, start + part.length), part);
    }),
  );
});
