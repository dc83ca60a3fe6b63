import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldsOf } from '../../../model/field-catalogue.ts';
import { columnKind, columnTracks, textLengths } from './column-tracks.ts';

const fields = fieldsOf('identities', []);

test('tells what a column holds by its type and name', () => {
  const kinds = [
    ...['displayName', 'attributes.department', 'accessCount', 'inactive', 'created', 'status'],
  ].map((path, at) => columnKind(path, at, fields));
  assert.deepEqual(kinds, ['name', 'text', 'number', 'boolean', 'date', 'status']);
});

test('gives long texts more room than short ones, and set widths exactly', () => {
  const columns = ['a', 'b', 'c', 'd'];
  const kinds = ['name', 'number', 'text', 'date'] as const;
  const { gridTemplateColumns, minWidth } = columnTracks(columns, kinds, [14, 3, 99, 16], {
    b: 200,
  });
  assert.equal(
    gridTemplateColumns,
    'minmax(176px, 28fr) 200px minmax(100px, 24fr) minmax(148px, 1fr) minmax(var(--row-tools), auto)',
  );
  assert.equal(minWidth, 'calc(624px + var(--row-tools))');
});

test('gives a column without texts no more than it needs', () => {
  const { gridTemplateColumns } = columnTracks(['a', 'b'], ['name', 'text'], [9, 0], {});
  assert.match(gridTemplateColumns, /^minmax\(176px, 23fr\) minmax\(100px, 1fr\) /);
});

test('measures texts by the first rows, without the longest', () => {
  const rows = [
    ...['Ada', 'Grace', 'Edsger', 'Barbara', 'a name that is much longer than others'],
  ].map((name) => ({ name }));
  assert.deepEqual(textLengths(['name', 'city'], rows), [7, 0]);
  assert.deepEqual(textLengths(['name'], []), [0]);
});
