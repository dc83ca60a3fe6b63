import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../../../test/differential/random.ts';
import { encodeText } from '../../sections/utf8.ts';
import { DistinctKeys } from './distinct-keys.ts';

test('keys are counted once, as text or as bytes, in one set or in several', () => {
  for (let seed = 0; seed < 60; seed++) {
    const random = new Random(seed);
    const expected = new Set<string | number>();
    const whole = new DistinctKeys();
    for (let part = 0; part < 3; part++) {
      const keys = new DistinctKeys(random.int(300));
      for (let at = random.int(400); at > 0; at--) {
        const number = random.int(150);
        const text = random.pick(['', 'a', 'é', '\u{1f600}']) + (number % 50);
        const key = random.chance(0.2) ? number : text;
        expected.add(key);
        if (typeof key === 'number' || random.chance(0.5)) keys.add(key);
        else {
          const bytes = encodeText(`xx${key}yy`);
          keys.addString(bytes, 2, bytes.length - 2);
        }
      }
      for (const _ of whole.addAll(keys)) assert.equal(_, undefined);
    }
    assert.equal(whole.size, expected.size, `seed ${seed}`);
  }
});
