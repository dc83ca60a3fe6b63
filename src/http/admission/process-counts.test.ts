// What threads count together, as several objects in one thread; with real threads:
// test/faults/counting-threads.test.ts.
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { describe, test } from 'node:test';
import { connectedThreads } from '../../../test/support/connected-threads.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { systemClock } from '../../auth/clock.ts';
import { LocalCounter } from '../../auth/window-counter.ts';
import type { ServiceError } from '../../errors.ts';
import { Answers } from './answers.ts';
import { TrustedProxies } from './client-address.ts';
import { limitConnections } from './connections.ts';
import { Places } from './places.ts';
import type { ProcessCounts } from './process-counts.ts';
import { type Party, Shares } from './shares.ts';

const party = (group: string, anonymous = false): Party => ({ group, member: '', anonymous });

/** A response or a socket that a test closes. */
function closable() {
  const fake = Object.assign(new EventEmitter(), {
    destroyed: false,
    writableFinished: false,
    remoteAddress: '192.0.2.1',
    destroy() {
      if (fake.destroyed) return;
      fake.destroyed = true;
      fake.emit('close');
    },
  });
  return fake;
}

describe('places of several threads', () => {
  const rules = { name: 'searches', groupShare: 1, memberShare: 1, weightOf: () => 1 };
  const placesIn = (counts: ProcessCounts, total: number) =>
    new Places({
      ...{ ...rules, total, waitingTotal: 8, waitMs: 60_000 },
      onRefused: () => assert.fail('refused'),
      counts: counts.placesOf('searches'),
    });

  /** Two threads with places, and the order in which requests that enter them run. */
  function twoThreads(total: number) {
    const { counts, told } = connectedThreads(2);
    const [first, second] = counts.map((one) => placesIn(one, total));
    assert.ok(first !== undefined && second !== undefined);
    const ran: string[] = [];
    const enter = (places: Places, name: string) => {
      const response = closable();
      places.enter(party(name), response as unknown as ServerResponse, (error) => {
        ran.push(error === undefined ? name : `${name} ${(error as ServiceError).code}`);
      });
      return response;
    };
    return { counts, told, first, second, ran, enter };
  }

  test('are counted together, and go to a request that waits in another thread', async () => {
    const { told, first, second, ran, enter } = twoThreads(2);
    const running = [enter(first, 'a'), enter(first, 'b')];
    const waiting = enter(second, 'c');
    assert.deepEqual(ran, ['a', 'b']);
    assert.deepEqual(second.figures, { running: 2, waiting: 1 });
    running[0]?.destroy();
    await eventually(() => assert.deepEqual(ran, ['a', 'b', 'c']));
    assert.deepEqual(told, [{ kind: 'place', places: 'searches' }]);
    running[1]?.destroy();
    waiting.destroy();
    assert.deepEqual(first.figures, { running: 0, waiting: 0 });
    assert.equal(told.length, 1, 'nothing is told while nothing waits elsewhere');
  });

  test('are left for a moment to a request that has waited longer in another thread', async () => {
    const { first, second, ran, enter } = twoThreads(1);
    const running = enter(first, 'a');
    const older = enter(second, 'b');
    const younger = enter(first, 'c');
    running.destroy();
    await eventually(() => assert.deepEqual(ran, ['a', 'b']));
    older.destroy();
    await eventually(() => assert.deepEqual(ran, ['a', 'b', 'c']));
    younger.destroy();
  });

  test('go to the oldest request of the thread, if another thread has a younger one', async () => {
    const { told, first, second, ran, enter } = twoThreads(1);
    const running = enter(first, 'a');
    const older = enter(first, 'b');
    const younger = enter(second, 'c');
    running.destroy();
    assert.deepEqual(ran, ['a', 'b'], 'at once');
    older.destroy();
    await eventually(() => assert.deepEqual(ran, ['a', 'b', 'c']));
    assert.equal(told.length, 2);
    younger.destroy();
  });

  test('that another thread does not take are tried again by the thread that gave them', async () => {
    const { first, second, ran, enter } = twoThreads(1);
    const running = enter(first, 'a');
    const gone = enter(second, 'b');
    const waiting = enter(first, 'c');
    running.destroy();
    gone.emit('close');
    await eventually(() => assert.deepEqual(ran, ['a', 'b cancelled', 'c']));
    waiting.destroy();
  });

  test('that a thread held which has ended go to requests that wait', () => {
    const { counts, first, second, ran, enter } = twoThreads(1);
    enter(first, 'a');
    const waiting = enter(second, 'b');
    // The main thread, which serves as well, forgets it.
    counts[1]?.forgetThread(0);
    assert.deepEqual(ran, ['a', 'b']);
    assert.deepEqual(second.figures, { running: 1, waiting: 0 });
    waiting.destroy();
  });
});

describe('answers of several threads', () => {
  const rules = { total: 1000, groupShare: 0.5, memberShare: 1, weightOf: () => 1 };

  function twoThreads() {
    const { counts, told } = connectedThreads(2);
    const clock = { ms: 0, now: () => clock.ms };
    const [first, second] = counts.map(
      (one) =>
        new Answers(
          {
            authenticated: new Shares(rules, one.heldOf('answers')),
            anonymous: new Shares(rules, one.heldOf('anonymous answers')),
            ...{ timeoutMs: 600_000, bytesPerSecond: 1000, graceMs: 1000, peers: one },
            ...{ onRefused: () => {}, onCutOff: () => {} },
          },
          clock,
        ),
    );
    assert.ok(first !== undefined && second !== undefined);
    const hold = (answers: Answers, who: Party, bytes: number) => {
      const response = closable();
      answers.hold(who, bytes, response as unknown as ServerResponse);
      return response;
    };
    return { first, second, told, clock, hold };
  }

  test('are cut off if they are slow and their memory is needed in another thread', async () => {
    const { first, second, told, clock, hold } = twoThreads();
    const slow = hold(first, party('acme'), 300);
    const other = hold(first, party('umbrella'), 100);
    assert.throws(() => second.check(party('acme'), 500), { code: 'unavailable' });
    clock.ms = 1301;
    assert.throws(() => second.check(party('acme'), 500), { code: 'unavailable' });
    await eventually(() => assert.equal(slow.destroyed, true));
    assert.equal(other.destroyed, false, 'it would not relieve the party');
    second.check(party('acme'), 500);
    assert.equal(told.length, 2);
    assert.equal(second.held, 100);
    other.destroy();
  });

  test('are not told of, if no other thread holds what a party lacks, nor for each refusal', () => {
    const { first, second, told, hold } = twoThreads();
    const other = hold(first, party('umbrella'), 100);
    const own = hold(second, party('acme'), 300);
    assert.throws(() => second.check(party('acme'), 500), { code: 'unavailable' });
    assert.equal(told.length, 0);
    for (let n = 0; n < 3; n++) {
      assert.throws(() => second.check(party('acme'), 700), { code: 'unavailable' });
    }
    assert.equal(told.length, 1);
    for (const response of [other, own]) response.destroy();
  });

  test('without a credential give way to an address that holds nothing, in all threads', async () => {
    const { first, second, hold } = twoThreads();
    const oldest = hold(first, party('192.0.2.1', true), 1000);
    second.check(party('192.0.2.2', true), 500);
    await eventually(() => assert.equal(oldest.destroyed, true));
    assert.equal(first.held, 0);
  });
});

test('connections of several threads are limited together, in total and by address', () => {
  const { counts } = connectedThreads(2);
  let refused = 0;
  const servers = counts.map((one) => {
    const server = Object.assign(new EventEmitter(), { closeIdleConnections: () => {} });
    limitConnections(
      server as unknown as Server,
      {
        ...{ maxConnections: 5, maxConnectionsPerAddress: 3, keepAliveTimeoutMs: 1_000 },
        proxies: new TrustedProxies(['10.0.0.1']),
        onRefused: () => refused++,
      },
      one,
    );
    return server;
  });
  const connect = (thread: number, remoteAddress: string) => {
    const socket = Object.assign(closable(), { remoteAddress });
    servers[thread]?.emit('connection', socket as unknown as Socket);
    return socket;
  };
  const open = [0, 1, 0].map((thread) => connect(thread, '192.0.2.1'));
  assert.ok(open.every(({ destroyed }) => !destroyed));
  assert.equal(connect(1, '192.0.2.1').destroyed, true);
  assert.equal(refused, 1);
  open.push(connect(1, '192.0.2.2'), connect(0, '10.0.0.1'));
  assert.ok(open.every(({ destroyed }) => !destroyed));
  assert.equal(connect(0, '192.0.2.3').destroyed, true);
  assert.equal(refused, 1, 'the total is not a limit of the address');
  open[0]?.destroy();
  assert.equal(connect(1, '192.0.2.1').destroyed, false);
});

test('when few connections are left, all threads close their idle ones', async () => {
  const { counts } = connectedThreads(2);
  const closed = [0, 0];
  const servers = counts.map((one, thread) => {
    const closeIdleConnections = () => {
      closed[thread] = (closed[thread] ?? 0) + 1;
    };
    const server = Object.assign(new EventEmitter(), { closeIdleConnections });
    const rules = { maxConnections: 4, maxConnectionsPerAddress: 4, keepAliveTimeoutMs: 1_000 };
    const proxies = new TrustedProxies([]);
    limitConnections(server as unknown as Server, { ...rules, proxies, onRefused() {} }, one);
    return server;
  });
  const connect = () => {
    const socket = Object.assign(closable(), { remoteAddress: '192.0.2.1' });
    servers[0]?.emit('connection', socket as unknown as Socket);
  };
  connect();
  connect();
  assert.deepEqual(closed, [0, 0]);
  connect();
  await eventually(() => assert.deepEqual(closed, [1, 1]));
});

test('counters of several threads let exactly so many events pass together', () => {
  const { counts } = connectedThreads(3);
  const rules = { windowMs: 60_000, start: 'first' } as const;
  const counters = counts.map(
    (one) => new LocalCounter(systemClock, rules, one.windowsOf('guesses')),
  );
  const seen = Array.from({ length: 30 }, (_, n) => counters[n % 3]?.add('a').count ?? 0);
  assert.deepEqual(
    seen,
    Array.from({ length: 30 }, (_, n) => n + 1),
  );
  assert.deepEqual(
    counters.map((counter) => counter.read('b').count),
    [0, 0, 0],
  );
});
