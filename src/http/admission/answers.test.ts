import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, test } from 'node:test';
import { Answers } from './answers.ts';
import { type Party, Shares } from './shares.ts';

const TOTAL = 1000;
const rules = { total: TOTAL, groupShare: 0.5, memberShare: 0.5, weightOf: () => 1 };
const user: Party = { group: 'acme', member: 'a', anonymous: false };
const address: Party = { group: '192.0.2.1', member: '', anonymous: true };

/** @param now milliseconds on its clock */
function answers(now = { ms: 0 }) {
  const counts = { refused: 0, cutOff: 0 };
  const all = new Answers(
    {
      ...{ authenticated: new Shares(rules), anonymous: new Shares(rules) },
      ...{ timeoutMs: 600_000, bytesPerSecond: 1000, graceMs: 1000 },
      onRefused: () => {
        counts.refused += 1;
      },
      onCutOff: () => {
        counts.cutOff += 1;
      },
    },
    { now: () => now.ms },
  );
  return { all, counts };
}

const open: ServerResponse[] = [];
afterEach(() => {
  for (const response of open.splice(0)) response.destroy();
});

/** A response that is not read; the end of the test closes it. */
function unread() {
  const response = Object.assign(new EventEmitter(), {
    destroyed: false,
    writableFinished: false,
    destroy() {
      response.destroyed = true;
      response.emit('close');
    },
  });
  open.push(response as unknown as ServerResponse);
  return response as unknown as ServerResponse;
}

test('what callers with and without a credential hold is added up, and freed by the end', () => {
  const { all } = answers();
  const ends = [user, address].map((party) => all.hold(party, 300, unread()));
  assert.equal(all.held, 600);
  for (const end of ends) end();
  assert.equal(all.held, 0);
});

test('a caller at its share is refused, whatever callers without a credential hold', () => {
  for (const others of [0, 300]) {
    const { all, counts } = answers();
    all.hold(address, others, unread());
    const end = all.hold(user, 300, unread());
    assert.throws(() => all.check(user, 600), { code: 'unavailable' });
    assert.equal(counts.refused, 1);
    end();
    all.check(user, 600);
  }
});

test('an answer that is read too slowly is cut off when its memory is needed', () => {
  const now = { ms: 0 };
  const { all, counts } = answers(now);
  const slow = unread();
  all.hold(user, 300, slow);
  assert.throws(() => all.check(user, 600), { code: 'unavailable' });
  assert.equal(slow.destroyed, false);
  now.ms = 1301;
  all.check(user, 600);
  assert.equal(slow.destroyed, true);
  assert.deepEqual([all.held, counts.cutOff], [0, 1]);
});

test('an address that holds nothing is answered instead of the oldest one', () => {
  const { all, counts } = answers();
  const oldest = unread();
  all.hold(address, TOTAL, oldest);
  all.hold(user, 300, unread());
  all.check({ ...address, group: '192.0.2.2' }, 500);
  assert.equal(oldest.destroyed, true);
  assert.deepEqual([all.held, counts.cutOff], [300, 1]);
});
