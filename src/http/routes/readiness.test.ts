import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Readiness } from './readiness.ts';

/** A status that counts its checks, and a clock that stands still. */
function world() {
  const state = { now: 1_000_000, checks: 0, reasons: [] as string[] };
  const status = {
    async unreadyReasons() {
      state.checks += 1;
      return state.reasons;
    },
    warnings: async () => ['The disk is nearly full.'],
  };
  return { state, status, readiness: new Readiness(status, { now: () => state.now }) };
}

test('requests share a running check, and its result for a second', async () => {
  const { state, readiness } = world();
  const results = await Promise.all(Array.from({ length: 100 }, () => readiness.read()));
  assert.equal(state.checks, 1);
  for (const result of results) {
    assert.deepEqual(result, { reasons: [], warnings: ['The disk is nearly full.'] });
  }
  state.reasons = ['The store does not answer.'];
  state.now += 999;
  assert.deepEqual((await readiness.read()).reasons, []);
  assert.equal(state.checks, 1);
  state.now += 1;
  assert.deepEqual(await readiness.read(), { reasons: state.reasons, warnings: [] });
  assert.equal(state.checks, 2);
});

test('a clock that is set back does not keep a result', async () => {
  const { state, readiness } = world();
  await readiness.read();
  state.now -= 3_600_000;
  await readiness.read();
  assert.equal(state.checks, 2);
});

test('a check that fails is repeated after a second, too', async () => {
  const { state, status, readiness } = world();
  status.warnings = () => Promise.reject(new Error('The store closed.'));
  for (let n = 0; n < 3; n++) await assert.rejects(readiness.read(), /closed/);
  assert.equal(state.checks, 1);
  state.now += 1_000;
  status.warnings = async () => [];
  assert.deepEqual(await readiness.read(), { reasons: [], warnings: [] });
});
