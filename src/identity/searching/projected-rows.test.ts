import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProjectedRows } from './projected-rows.ts';

test('a row is projected once for each form and document, until there are too many', () => {
  const rows = new ProjectedRows(100);
  let made = 0;
  const row = (form: object, document: Uint8Array) =>
    rows.through(form, document, () => {
      made += 1;
      return new Uint8Array(40).fill(made);
    });
  const [form, other] = [{}, {}];
  const [document, twin, third] = [0, 0, 0].map((byte) => Uint8Array.of(byte));
  assert.ok(document !== undefined && twin !== undefined && third !== undefined);
  const first = row(form, document);
  assert.equal(row(form, document), first);
  assert.notEqual(row(form, twin), first);
  assert.equal(made, 2);
  assert.notEqual(row(other, document), first);
  assert.equal(made, 3);
  // What came before is forgotten by now.
  assert.notEqual(row(form, document), first);
  assert.equal(made, 4);
});
