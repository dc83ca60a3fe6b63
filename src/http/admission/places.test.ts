import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, describe, test } from 'node:test';
import fc from 'fast-check';
import { eventually } from '../../../test/support/eventually.ts';
import type { ServiceError } from '../../errors.ts';
import { type PlaceRules, Places, type PlacesOfRoute } from './places.ts';
import { ReservedPlaces } from './reserved-places.ts';
import type { Party } from './shares.ts';

/** The parts of a response that places use. */
class FakeResponse extends EventEmitter {
  destroyed = false;
  deliver(): void {
    this.emit('finish');
    this.emit('close');
    this.removeAllListeners();
  }
  close(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

interface Visit {
  readonly response: FakeResponse;
  /** undefined: waiting; null: has a place. */
  outcome: undefined | null | ServiceError;
}

let refusals = 0;
function placesOf(change: Partial<PlaceRules> = {}): Places {
  refusals = 0;
  return new Places({
    ...{ name: 'searches', total: 4, groupShare: 0.5, memberShare: 1, weightOf: () => 1 },
    waitMs: 60_000,
    onRefused: () => refusals++,
    ...change,
  });
}

const party = (group: string, member = ''): Party => ({ group, member, anonymous: false });

/** Ends requests that still wait, whose timers would keep the process running for a minute. */
afterEach(() => {
  for (const response of responses.splice(0)) response.close();
});
const responses: FakeResponse[] = [];

function visit(places: PlacesOfRoute, who: Party): Visit {
  const response = new FakeResponse();
  responses.push(response);
  const one: Visit = { response, outcome: undefined };
  places.enter(who, response as unknown as ServerResponse, (error) => {
    one.outcome = error === undefined ? null : (error as ServiceError);
  });
  return one;
}

const outcomes = (visits: readonly Visit[]) =>
  visits.map(({ outcome }) => (outcome === undefined ? 'waits' : (outcome?.code ?? 'runs')));

describe('places', () => {
  test('held for the work are given back when it is done, not when the client disconnects', () => {
    const places = placesOf({ total: 1, heldFor: 'work', waitingTotal: 2 });
    const leaves: (() => void)[] = [];
    const enter = (group: string) => {
      const response = new FakeResponse();
      places.enter(party(group), response as unknown as ServerResponse, (error, leave) => {
        assert.equal(error, undefined);
        assert.ok(leave);
        leaves.push(leave);
      });
      return response;
    };
    const first = enter('a');
    enter('b');
    first.close();
    assert.deepEqual(places.figures, { running: 1, waiting: 1 });
    leaves[0]?.();
    assert.deepEqual(places.figures, { running: 1, waiting: 0 });
    leaves[1]?.();
    assert.deepEqual(places.figures, { running: 0, waiting: 0 });
  });

  test('are never all taken by one tenant, whose further requests wait', () => {
    const places = placesOf();
    const greedy = [1, 2, 3].map(() => visit(places, party('greedy')));
    assert.deepEqual(outcomes(greedy), ['runs', 'runs', 'waits']);
    assert.deepEqual(outcomes([visit(places, party('modest'))]), ['runs']);
    assert.deepEqual(places.figures, { running: 3, waiting: 1 });
  });

  test('go to waiting requests when a response has been delivered', () => {
    const places = placesOf();
    const visits = [1, 2, 3].map(() => visit(places, party('a')));
    visits[0]?.response.deliver();
    assert.deepEqual(outcomes(visits), ['runs', 'runs', 'runs']);
    for (const one of visits.slice(1)) one.response.deliver();
    assert.deepEqual(places.figures, { running: 0, waiting: 0 });
  });

  test('go to a tenant without places before one with some', () => {
    const places = placesOf({ total: 2 });
    const first = visit(places, party('other'));
    visit(places, party('greedy'));
    const waiting = [visit(places, party('greedy')), visit(places, party('modest'))];
    assert.deepEqual(outcomes(waiting), ['waits', 'waits']);
    first.response.deliver();
    assert.deepEqual(outcomes(waiting), ['waits', 'runs']);
  });

  test('are refused with 503 after the wait, which ends when the client disconnects', async () => {
    const places = placesOf({ total: 2, waitMs: 20 });
    visit(places, party('a'));
    visit(places, party('b'));
    const [tooLate, gone] = [visit(places, party('a')), visit(places, party('b'))];
    gone.response.close();
    assert.equal(gone.outcome?.code, 'cancelled');
    await eventually(() => assert.equal(tooLate.outcome?.code, 'unavailable'));
    assert.equal(tooLate.outcome?.details.retryAfterSeconds, 1);
    assert.match(tooLate.outcome?.message ?? '', /^Too many searches/);
    assert.equal(refusals, 1);
    assert.deepEqual(places.figures, { running: 2, waiting: 0 });
  });

  test('are not given to a client that has already disconnected', () => {
    const places = placesOf();
    const response = new FakeResponse();
    response.close();
    let code = '';
    places.enter(party('a'), response as unknown as ServerResponse, (error) => {
      code = (error as ServiceError).code;
    });
    assert.equal(code, 'cancelled');
    assert.equal(places.figures.running, 0);
  });

  test('are refused before a body is read if there is no room to wait either', () => {
    const places = placesOf({ total: 2, waitMs: 0 });
    places.check(party('a'));
    visit(places, party('a'));
    assert.throws(
      () => places.check(party('a')),
      (error: ServiceError) => error.code === 'unavailable' && /of this tenant/.test(error.message),
    );
    places.check(party('b'));
  });
});

describe('places with a reserve', () => {
  const four = [1, 2, 3, 4];

  test('serve urgent requests from the ordinary places while these have room', () => {
    const ordinary = placesOf({ total: 8 });
    const reserve = placesOf({ total: 2, waitMs: 0 });
    const urgent = new ReservedPlaces(ordinary, reserve);
    const visits = four.map(() => visit(urgent, party('a')));
    assert.deepEqual(outcomes(visits), ['runs', 'runs', 'runs', 'runs']);
    assert.deepEqual([ordinary.figures.running, reserve.figures.running], [4, 0]);
  });

  test('serve an urgent request from the reserve when the ordinary places are used up', () => {
    const ordinary = placesOf({ total: 4 });
    const reserve = placesOf({ total: 2, waitMs: 0 });
    const urgent = new ReservedPlaces(ordinary, reserve);
    const busy = four.slice(1).map(() => visit(ordinary, party('a')));
    assert.deepEqual(outcomes(busy), ['runs', 'runs', 'waits']);
    urgent.check(party('a'));
    const visits = [visit(urgent, party('a')), visit(urgent, party('a'))];
    assert.deepEqual(outcomes(visits), ['runs', 'waits']);
    for (const one of busy) one.response.deliver();
    assert.deepEqual(outcomes(visits), ['runs', 'runs']);
    for (const one of visits) one.response.deliver();
    assert.deepEqual([ordinary.figures.running, reserve.figures.running], [0, 0]);
  });
});

test('never runs more requests than there are places, and all of them end', () => {
  const step = fc.record({ group: fc.constantFrom('a', 'b', 'c'), ends: fc.boolean() });
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 80 }),
      fc.integer({ min: 1, max: 6 }),
      (steps, total) => {
        const places = placesOf({ total });
        let visits: Visit[] = [];
        for (const { group, ends } of steps) {
          const running = visits.filter(({ outcome }) => outcome === null);
          if (ends && running.length > 0) running[0]?.response.deliver();
          else visits.push(visit(places, party(group)));
          visits = visits.filter(({ response }) => response.listenerCount('close') > 0);
          assert.ok(visits.filter(({ outcome }) => outcome === null).length <= total);
        }
        for (let left = visits.length; left > 0; left--) {
          visits.find(({ outcome }) => outcome === null)?.response.deliver();
          visits = visits.filter(({ response }) => response.listenerCount('close') > 0);
        }
        assert.deepEqual(places.figures, { running: 0, waiting: 0 });
      },
    ),
  );
});
