import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProjectedRows } from './projected-rows.ts';

test('projects a row once for each form and document, until the limit is reached', () => {
  const rows = new ProjectedRows(100);
  let projected = 0;
  const row = (form: object, document: Uint8Array) =>
    rows.getOrProject(form, document, () => {
      projected += 1;
      return new Uint8Array(40).fill(projected);
    });
  const [form, other] = [{}, {}];
  const [document, twin, third] = [0, 0, 0].map((byte) => Uint8Array.of(byte));
  assert.ok(document !== undefined && twin !== undefined && third !== undefined);
  const first = row(form, document);
  assert.equal(row(form, document), first);
  assert.notEqual(row(form, twin), first);
  assert.equal(projected, 2);
  assert.notEqual(row(other, document), first);
  assert.equal(projected, 3);
  // Earlier rows have been dropped by now.
  assert.notEqual(row(form, document), first);
  assert.equal(projected, 4);
});
