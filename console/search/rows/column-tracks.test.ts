import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldsOf } from '../query/field-catalogue.ts';
import { columnKind, columnTracks } from './column-tracks.ts';

const fields = fieldsOf('identities', []);

test('tells what a column holds by its type and name', () => {
  const kinds = [
    ...['displayName', 'attributes.department', 'accessCount', 'inactive', 'created', 'status'],
  ].map((path, at) => columnKind(path, at, fields));
  assert.deepEqual(kinds, ['name', 'text', 'number', 'boolean', 'date', 'status']);
});

test('gives free columns a share of the room, and set widths exactly', () => {
  const { gridTemplateColumns, minWidth } = columnTracks(['a', 'b'], ['name', 'number'], {
    b: 200,
  });
  assert.equal(gridTemplateColumns, 'minmax(184px, 1.4fr) 200px minmax(84px, auto)');
  assert.equal(minWidth, '468px');
});
