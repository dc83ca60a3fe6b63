import assert from 'node:assert/strict';
import { test } from 'node:test';
import { traceContextOf } from './trace-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

const CONTINUED: readonly (readonly [string, boolean])[] = [
  [`00-${TRACE}-${SPAN}-01`, true],
  [`00-${TRACE}-${SPAN}-00`, false],
  [`00-${TRACE}-${SPAN}-03`, true],
  [`cc-${TRACE}-${SPAN}-01-what-the-future-will-be-like`, true],
];
for (const [header, sampled] of CONTINUED) {
  test(`continues the trace of ${header}`, () => {
    assert.deepEqual(traceContextOf(header), { traceId: TRACE, parentId: SPAN, sampled });
  });
}

const NEW = [
  undefined,
  '',
  'x',
  `ff-${TRACE}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-01-more`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}`,
];
for (const header of NEW) {
  test(`starts a new trace for ${header}`, () => {
    const { traceId, parentId, sampled } = traceContextOf(header);
    assert.match(traceId, /^[\da-f]{32}$/);
    assert.notEqual(traceId, TRACE);
    assert.equal(parentId, null);
    assert.ok(sampled);
  });
}
