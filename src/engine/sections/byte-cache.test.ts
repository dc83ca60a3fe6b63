import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteCache, type CacheSection } from './byte-cache.ts';

/** Room for about four values of this size. */
const BYTES = 10_000;
const ROOM = 4 * (BYTES + 400);

function asked(section: CacheSection<string>, key: number): 'found' | 'added' | 'left out' {
  if (section.get(key) !== undefined) return 'found';
  if (!section.wants(key)) return 'left out';
  section.add(key, `value ${key}`, BYTES);
  return 'added';
}

function opened(bytesMax = ROOM) {
  const cache = new ByteCache<string>(bytesMax);
  return { cache, section: cache.sectionOf({}) };
}

test('while there is room each value is added', () => {
  const { section } = opened();
  for (let key = 0; key < 4; key++) assert.equal(asked(section, key), 'added');
  for (let key = 0; key < 4; key++) assert.equal(asked(section, key), 'found');
});

test('without room a value is added when it is missed a second time', () => {
  const { section } = opened();
  for (let key = 0; key < 50; key++) asked(section, key);
  assert.equal(asked(section, 70), 'left out');
  assert.equal(asked(section, 70), 'added');
  assert.equal(asked(section, 70), 'found');
});

test('a value in use stays while others come and go', () => {
  const { cache, section } = opened();
  for (let key = 0; key < 100; key++) {
    section.add(key, 'value', BYTES);
    assert.equal(section.get(0), 'value', `after ${key}`);
    assert.ok(cache.figures.bytes <= ROOM);
  }
});

test('a cache of no bytes takes no value', () => {
  assert.equal(asked(opened(0).section, 1), 'left out');
});

test('owners have their own keys, and share the limit', () => {
  const { cache, section } = opened();
  const owner = {};
  const other = cache.sectionOf(owner);
  assert.equal(cache.sectionOf(owner), other);
  section.add(1, 'one', BYTES);
  other.add(1, 'another', BYTES);
  assert.deepEqual([section.get(1), other.get(1)], ['one', 'another']);
  for (let key = 2; key < 6; key++) other.add(key, 'more', BYTES);
  assert.equal(section.get(2), undefined);
  assert.ok(cache.figures.bytes <= ROOM);
});

test('a closed owner has no entries and gets none, and what it had makes room', () => {
  const { cache, section } = opened();
  for (let key = 0; key < 50; key++) asked(section, key);
  section.close();
  assert.equal(cache.figures.bytes, 0);
  assert.equal(asked(section, 70), 'left out');
  section.add(70, 'value', BYTES);
  assert.equal(section.get(70), undefined);
  assert.equal(cache.figures.bytes, 0);
  assert.equal(asked(cache.sectionOf({}), 70), 'added');
});

test('an entry of several owners goes with the first that is closed', () => {
  for (const closed of [0, 1, 2]) {
    const cache = new ByteCache<string>(ROOM);
    const sections = [{}, {}, {}].map((owner) => cache.sectionOf(owner));
    sections[1]!.add(8, 'own', BYTES);
    cache.add(sections, 7, 'common', BYTES);
    cache.add(sections, 7, 'newer', BYTES);
    for (const section of sections) assert.equal(section.get(7), 'newer');
    sections[closed]!.close();
    for (const section of sections) assert.equal(section.get(7), undefined);
    assert.equal(cache.figures.bytes, closed === 1 ? 0 : BYTES + 400);
    cache.add(sections, 7, 'late', BYTES);
    for (const section of sections) assert.equal(section.get(7), undefined);
  }
});

test('a lower limit removes what was used least', () => {
  const { cache, section } = opened();
  for (let key = 0; key < 4; key++) section.add(key, 'value', BYTES);
  section.get(0);
  cache.limit(2 * (BYTES + 400));
  assert.deepEqual(
    [0, 1, 2, 3].map((key) => section.get(key) !== undefined),
    [true, false, false, true],
  );
  assert.equal(cache.figures.bytesMax, 2 * (BYTES + 400));
});
