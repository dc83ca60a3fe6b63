import assert from 'node:assert/strict';
import test from 'node:test';
import { InvalidValue, wholeNumber } from './config-values.ts';
import { perIndex, replicaCount } from './index-settings.ts';

const shards = perIndex(wholeNumber(1, 64), '1,events=3');
const replicas = perIndex(replicaCount, 'auto,events=2');

test('a number alone is the value of all indexes', () => {
  assert.deepEqual(shards('2'), { all: 2, exceptions: new Map() });
  assert.deepEqual(replicas('auto'), { all: 'auto', exceptions: new Map() });
});

test('exceptions name a type, a tenant or both', () => {
  assert.deepEqual(shards('1, events=3, t-1/events = 6,t-1/*=2'), {
    all: 1,
    exceptions: new Map([
      ['events', 3],
      ['t-1/events', 6],
      ['t-1/*', 2],
    ]),
  });
  assert.deepEqual([...replicas('auto,events=2').exceptions], [['events', 2]]);
});

for (const [text, expected] of [
  ['', /whole number from 1 to 64/],
  ['0', /whole number from 1 to 64/],
  [
    'events=3',
    /a value for all indexes and then exceptions, such as 1,events=3.*"events=3" is none/,
  ],
  ['1,event=3', /with TYPE one of accessprofiles, .*"event=3" is none/],
  ['1,*=3', /"\*=3" is none/],
  ['1,events', /"events" is none/],
  ['1,events=0', /whole number from 1 to 64/],
  ['1,events=2,events=3', /one value for "events", not two/],
] as const) {
  test(`${JSON.stringify(text)} is refused with a reason`, () => {
    assert.throws(
      () => shards(text),
      (error) => error instanceof InvalidValue && expected.test(error.message),
    );
  });
}

test('replicas are auto or a digit', () => {
  for (const text of ['all', '-1', '10', 'auto,events=x']) {
    assert.throws(() => replicas(text), /must be auto or a whole number from 0 to 9/);
  }
});
