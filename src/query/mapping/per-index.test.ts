import assert from 'node:assert/strict';
import test from 'node:test';
import { type PerIndex, valueFor } from './per-index.ts';

const SHARDS: PerIndex<number> = {
  all: 1,
  exceptions: new Map([
    ['events', 2],
    ['acme/*', 3],
    ['acme/events', 4],
  ]),
};

for (const [tenant, index, expected] of [
  ['other', 'roles', 1],
  ['other', 'events', 2],
  ['acme', 'roles', 3],
  ['acme', 'events', 4],
] as const) {
  test(`the most exact value applies to ${index} of ${tenant}`, () => {
    assert.equal(valueFor(SHARDS, tenant, index), expected);
  });
}
