// Which bars of a chart are cut off, and what is said about a bar.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axisTexts, barAt, barScale, barText, drawnBars, endOf } from './bars.ts';

const days = (count: number) => Array.from({ length: count }, (_, day) => day * 86_400);

const SCALES: readonly (readonly [name: string, counts: number[], cut: number[]])[] = [
  ['one tall last bar', [3, 5, 4, 2, 6, 900], [5]],
  ['a tall bar in the middle', [3, 900, 4, 2, 6, 5], [1]],
  ['even bars', [3, 5, 4, 2, 6, 5], []],
  ['a bar three times as high as the next', [1, 2, 2, 1, 2, 6], []],
  ['a bar above three times the next', [1, 2, 2, 1, 2, 7], [5]],
  ['two tall bars of six', [3, 5, 4, 2, 600, 900], []],
  ['few bars', [1, 1, 900], []],
  ['a single bar among empty ones', [0, 0, 0, 0, 0, 9], []],
];
for (const [name, counts, cut] of SCALES) {
  test(`${name}: cuts off ${cut.length}`, () => assert.deepEqual(barScale(counts).cut, cut));
}

test('at most a tenth of the bars is cut off', () => {
  const tall = (count: number) => [...Array(30 - count).fill(2), ...Array(count).fill(90)];
  assert.deepEqual(barScale(tall(3)).cut, [27, 28, 29]);
  assert.deepEqual(barScale(tall(4)).cut, []);
});

test('two tall bars of forty are cut off', () => {
  const counts = [...Array(38).fill(4), 500, 900];
  assert.deepEqual(barScale(counts), { ceiling: 4 * 1.35, cut: [38, 39] });
});

test('a bar that is cut off keeps its share of failures', () => {
  const bars = { times: days(2), counts: [4, 100], failed: [1, 50] };
  assert.deepEqual(drawnBars(bars, { ceiling: 10 }), { counts: [4, 10], failed: [1, 5] });
  assert.deepEqual(drawnBars({ times: days(1), counts: [3] }, { ceiling: 10 }).failed, [0]);
});

test('a bar in words has its start, its count, its failures, and whether it has ended', () => {
  const bars = { times: days(3), counts: [1, 1_234, 5], failed: [0, 3, 0] };
  const ended = 9 * 86_400;
  assert.equal(barText(bars, 0, ended), '1970-01-01: 1');
  assert.equal(barText(bars, 1, ended), '1970-01-02: 1,234, 3 failed');
  assert.equal(barText(bars, 2, 2.5 * 86_400), '1970-01-03: 5 so far');
  assert.equal(barText({ times: [3_600], counts: [2] }, 0, ended), '1970-01-01 01:00: 2');
});

test('a time is covered by the last bar that begins before it', () => {
  assert.equal(barAt(days(3), -1), null);
  assert.equal(barAt(days(3), 86_399), 0);
  assert.equal(barAt(days(3), 99 * 86_400), 2);
  assert.equal(endOf(days(3), 0), 86_400);
  assert.equal(endOf(days(3), 2), 3 * 86_400);
});

const AXES: readonly (readonly [from: string, step: number, marks: readonly string[]])[] = [
  ['2026-12-31T12:00Z', 43_200, ['12:00\n2026-12-31', '00:00\n2027-01-01', '12:00']],
  ['2026-12-31T00:00Z', 86_400, ['12-31\n2026', '01-01\n2027', '01-02']],
  ['2026-12-01T00:00Z', 31 * 86_400, ['2026-12', '2027-01', '2027-02']],
];
for (const [from, step, marks] of AXES) {
  test(`the axis of a chart has dates as they are written elsewhere: ${marks[0]}`, () => {
    const start = Date.parse(from) / 1000;
    const times = marks.map((_, n) => start + n * step);
    assert.deepEqual(axisTexts(times, step), marks);
  });
}
