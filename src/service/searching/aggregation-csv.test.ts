import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aggregationCsv } from './aggregation-csv.ts';

const bucket = (key: unknown, doc_count: number, more: object = {}) => ({
  key,
  doc_count,
  ...more,
});
const step = (name: string) => ({ name, buckets: true });

test('repeats parent keys, and shows the own count of a parent without children', () => {
  const aggregations = {
    Department: {
      buckets: [
        bucket('Sales', 6, { City: { buckets: [bucket('Rome', 4), bucket('Oslo, North', 2)] } }),
        bucket('HR "core"', 1, { City: { buckets: [] } }),
      ],
    },
  };
  assert.equal(
    aggregationCsv(aggregations, { steps: [step('Department'), step('City')], metric: null }),
    'Department,City,Count\nSales,Rome,4\nSales,"Oslo, North",2\n"HR ""core""",,1\n',
  );
});

test('levels without buckets have no column, and a metric replaces the count', () => {
  const aggregations = {
    Access: { doc_count: 3, Name: { buckets: [bucket('A', 3, { Ids: { value: 2 } })] } },
  };
  const columns = {
    steps: [{ name: 'Access', buckets: false }, step('Name')],
    metric: { name: 'Ids', path: ['Ids', 'value'], isValue: false },
  };
  assert.equal(aggregationCsv(aggregations, columns), 'Name,Ids\nA,2\n');
});

test('keyed buckets become rows with their keys', () => {
  const aggregations = { Who: { buckets: { gone: { doc_count: 1 }, '': { doc_count: 2 } } } };
  assert.equal(
    aggregationCsv(aggregations, { steps: [step('Who')], metric: null }),
    'Who,Count\ngone,1\n,2\n',
  );
});

test('the average or sum of booleans is a number', () => {
  const metric = { name: 'Locked', path: ['Locked', 'value'], isValue: false };
  const result = { Locked: { value: 0.25, value_as_string: 'true' } };
  assert.equal(aggregationCsv(result, { metric, steps: [] }), 'Locked\n0.25\n');
});

test('a single metric is one value, dates and booleans are formatted, no buckets give only the header', () => {
  const metric = { name: 'Newest', path: ['Newest', 'value'], isValue: true };
  const result = { Newest: { value: 1, value_as_string: '1970-01-01T00:00:00.001Z' } };
  assert.equal(aggregationCsv(result, { metric, steps: [] }), 'Newest\n1970-01-01T00:00:00.001Z\n');
  const locked = { Locked: { buckets: [bucket(1, 2, { key_as_string: 'true' })] } };
  assert.equal(
    aggregationCsv(locked, { steps: [step('Locked')], metric: null }),
    'Locked,Count\ntrue,2\n',
  );
  assert.equal(
    aggregationCsv({ Locked: { buckets: [] } }, { steps: [step('Locked')], metric: null }),
    'Locked,Count\n',
  );
});
