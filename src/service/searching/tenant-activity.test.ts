// The activity of each tenant in the last minute, separate from others.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TenantActivity } from './tenant-activity.ts';

function at() {
  const clock = { ms: 0 };
  return { clock, activity: new TenantActivity({ now: () => clock.ms }) };
}

test('counts per tenant; a search or a write is also a request', () => {
  const { clock, activity } = at();
  activity.count('acme', 'searches');
  activity.count('acme', 'searches');
  activity.count('acme', 'writes');
  activity.count('acme', 'requests');
  activity.count('globex', 'requests');
  clock.ms = 1_500;
  assert.deepEqual(activity.lastMinute('acme'), {
    ...{ seconds: 1.5, requests: 4, searches: 2, writes: 1 },
  });
  assert.deepEqual(activity.lastMinute('globex'), {
    ...{ seconds: 1.5, requests: 1, searches: 0, writes: 0 },
  });
  assert.deepEqual(activity.lastMinute('nobody'), {
    ...{ seconds: 1.5, requests: 0, searches: 0, writes: 0 },
  });
});

test('one request per second gives about 60 in the last minute, however long it continues', () => {
  const { clock, activity } = at();
  for (let second = 0; second < 1_000; second++) {
    clock.ms = second * 1_000;
    activity.count('acme', 'requests');
    const { requests, seconds } = activity.lastMinute('acme');
    assert.ok(Math.abs(requests - seconds) <= 1, `${requests} in ${seconds} s, second ${second}`);
    assert.ok(seconds <= 60 && seconds >= Math.min(second, 55), `${seconds} s`);
  }
});

test('drops old counts after a pause of any length', () => {
  for (const pause of [60_000, 61_000, 119_999, 3_600_000]) {
    const { clock, activity } = at();
    activity.count('acme', 'writes');
    clock.ms = pause;
    assert.equal(activity.lastMinute('acme').requests, 0, `${pause}`);
    activity.count('acme', 'writes');
    assert.equal(activity.lastMinute('acme').writes, 1, `${pause}`);
  }
});
