import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulateFeeding, workingDay } from './feeding.ts';
import { clusterFor, SHARD_GIB_MAX, type Slopes } from './shards.ts';

const FEEDER = { documentsPerSecond: 1_000, leastSeconds: 0.2 };

test('nothing waits while fewer documents are written than can be fed', () => {
  const result = simulateFeeding(() => 500, FEEDER, 60);
  assert.ok(result.longestLagSeconds < 0.5, String(result.longestLagSeconds));
  assert.equal(result.shareWithinAim, 1);
  assert.equal(result.secondsBehind, 0);
});

test('the lag of a burst is its size through the rate, and it drains by the difference', () => {
  const burst = (second: number) => (second < 10 ? 3_000 : 0);
  const result = simulateFeeding(burst, FEEDER, 60);
  // 20,000 documents wait when the burst ends.
  assert.ok(Math.abs(result.longestLagSeconds - 20.2) < 0.3, String(result.longestLagSeconds));
  assert.equal(Math.round(result.waitingAtEnd), 0);
  assert.ok(result.shareWithinAim < 0.1);
});

test('more documents than can be fed wait longer and longer', () => {
  const result = simulateFeeding(() => 1_100, FEEDER, 100);
  assert.ok(Math.abs(result.waitingAtEnd - 10_000) < 200, String(result.waitingAtEnd));
});

test('a working day writes its mean, and its nightly load at once', () => {
  const rate = workingDay({ mean: 10, nightly: 36_000, nightlyPerSecond: 100 });
  let sum = 0;
  for (let second = 0; second < 86_400; second += 1) sum += rate(second);
  assert.ok(Math.abs(sum - (10 * 86_400 + 36_000)) < 100, String(sum));
  assert.ok(rate(2 * 3_600 + 10) > 100);
  assert.ok(rate(12 * 3_600) > 19);
});

const SLOPES: Slopes = {
  ...{ bytesPerDocument: 4_096, questionSeconds: 0.002 },
  ...{ questionSecondsPerMillion: 0.001, writeSeconds: 0.001 },
};

test('an index is divided so that no shard is larger than advised', () => {
  for (const documents of [10_000, 1_000_000, 10_000_000, 100_000_000]) {
    const demand = { documents, replicas: 1, questionsPerSecond: 10, writesPerSecond: 10 };
    const { shards, shardGib, diskGib } = clusterFor(demand, SLOPES);
    assert.ok(shardGib <= SHARD_GIB_MAX, `${documents}: ${shardGib}`);
    assert.ok(diskGib > shards * shardGib * 2);
  }
});

test('more questions, writes and replicas never need less', () => {
  const demand = { documents: 5e6, replicas: 1, questionsPerSecond: 100, writesPerSecond: 50 };
  const usual = clusterFor(demand, SLOPES);
  for (const more of [
    { ...demand, questionsPerSecond: 200 },
    { ...demand, writesPerSecond: 500 },
    { ...demand, replicas: 2 },
    { ...demand, documents: 5e7 },
  ]) {
    const needs = clusterFor(more, SLOPES);
    assert.ok(needs.cores >= usual.cores && needs.nodes >= usual.nodes);
    assert.ok(needs.diskGib >= usual.diskGib);
  }
});
