// The alerts of deploy/ as Prometheus reads them; needs promtool, of Debian's package prometheus.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

test('promtool accepts the alerts and fires them as they say', () => {
  for (const args of [
    ['check', 'rules', 'deploy/alerts.yaml'],
    ['test', 'rules', 'test/data/alerts-test.yaml'],
  ]) {
    const { status, stdout, stderr, error } = spawnSync('promtool', args, { encoding: 'utf8' });
    assert.ifError(error);
    assert.equal(status, 0, stdout + stderr);
  }
});
