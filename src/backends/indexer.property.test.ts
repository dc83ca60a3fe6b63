// After any schedule of faults of the nodes, the search, the store and the lock, the index finally
// holds exactly what is in the store.
import { test } from 'node:test';
import fc from 'fast-check';
import { caseCount } from '../../test/support/case-count.ts';
import { type Event, type Happening, IndexerWorld } from '../../test/support/indexer-world.ts';

const node = fc.nat({ max: 2 });
const tenant = fc.constantFrom('a', 'b');
const id = fc.constantFrom('1', '2', '3', '4', '5');
const faultMs = fc.constantFrom(0, 1, 3, 30, 300, 3_000);
const afterMs = fc.oneof(
  { weight: 16, arbitrary: fc.constantFrom(0, 1, 3, 30) },
  { weight: 3, arbitrary: fc.constant(300) },
  { weight: 1, arbitrary: fc.constant(3_000) },
  { weight: 1, arbitrary: fc.constant(30_000) },
);

const write: fc.Arbitrary<Happening> = fc.record({
  kind: fc.constantFrom('put', 'put', 'put', 'delete'),
  tenant,
  id,
});

/** @param late whether a request may arrive after its sender got an error */
function fault(late: boolean): fc.Arbitrary<Happening> {
  return fc.record({
    kind: fc.constant('fault'),
    node,
    call: fc.constantFrom(
      ...(['apply', 'refresh', 'commit', 'committedSequence', 'ping'] as const),
      ...([
        'changesAfter',
        'lastSequence',
        'storeHistory',
        'purgedSequence',
        'coveredSequence',
        'clear',
      ] as const),
    ),
    fault: fc.oneof(
      fc.record({ kind: fc.constantFrom('refused', 'answerLost', 'partial') }),
      fc.record({
        kind: fc.constantFrom(...(late ? (['slow', 'late'] as const) : (['slow'] as const))),
        ms: faultMs,
      }),
    ),
  });
}

const onNode = (...kinds: ('waitFor' | 'isolate' | 'heal' | 'stop' | 'kill' | 'start')[]) =>
  fc.record({ kind: fc.constantFrom(...kinds), node });
const ofLock: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({ kind: fc.constantFrom('loseLock', 'slowRelease'), ms: faultMs }),
  fc.record({ kind: fc.constantFrom('lockAway', 'lockBack') }),
);

const purge = (olderThanMs: number): fc.Arbitrary<Happening> =>
  fc.constant({ kind: 'purge', olderThanMs });
/** Longer than a request may arrive after its sender got an error. */
const LATE_MS = 20_000;

const schedule = (happening: fc.Arbitrary<Happening>): fc.Arbitrary<Event[]> =>
  fc.array(fc.record({ afterMs, happening }), { size: 'large', maxLength: 60 });

const options = {
  batchSize: fc.integer({ min: 1, max: 4 }),
  commitMs: fc.constantFrom(5, 300, 2_000),
};

test('a node whose index is its own recovers from any schedule of faults and restarts', () =>
  fc.assert(
    fc.asyncProperty(
      fc.record({
        durability: fc.constant('process'),
        nodes: fc.constant(1),
        fullBatches: fc.boolean(),
        refreshBytes: fc.constantFrom(0, 100, 1_000),
        ...options,
      }),
      schedule(
        fc.oneof(
          { weight: 6, arbitrary: write },
          { weight: 4, arbitrary: fault(false) },
          { weight: 2, arbitrary: onNode('waitFor') },
          { weight: 1, arbitrary: purge(0) },
          { weight: 2, arbitrary: onNode('stop', 'kill', 'start', 'isolate', 'heal') },
          {
            weight: 2,
            arbitrary: fc.record({ kind: fc.constantFrom('loseUncommitted', 'loseAll') }),
          },
        ),
      ),
      (world, events) => new IndexerWorld(world).check(events),
    ),
    { numRuns: caseCount(15, 200), includeErrorInReport: true },
  ));

test('a node recovers from deletions that were purged while it was away', () =>
  fc.assert(
    fc.asyncProperty(
      fc.record({
        durability: fc.constantFrom('process', 'cluster'),
        nodes: fc.constant(1),
        ...{ fullBatches: fc.constant(false), refreshBytes: fc.constantFrom(0, 100) },
        ...options,
      }),
      schedule(
        fc.oneof(
          { weight: 8, arbitrary: write },
          { weight: 3, arbitrary: purge(0) },
          { weight: 4, arbitrary: onNode('stop', 'kill', 'start', 'start') },
        ),
      ),
      (world, events) => new IndexerWorld(world).check(events),
    ),
    { numRuns: caseCount(15, 200), includeErrorInReport: true },
  ));

for (const nodes of [1, 3]) {
  const title = nodes === 1 ? 'a node with a remote index recovers' : 'three nodes recover';
  test(`${title} from any schedule of faults, takeovers and restarts`, () =>
    fc.assert(
      fc.asyncProperty(
        fc.record({
          durability: fc.constant('cluster'),
          nodes: fc.constant(nodes),
          ...{ fullBatches: fc.constant(false), refreshBytes: fc.constantFrom(0, 100) },
          ...options,
        }),
        schedule(
          fc.oneof(
            { weight: 6, arbitrary: write },
            { weight: 4, arbitrary: fault(true) },
            { weight: 2, arbitrary: onNode('waitFor') },
            { weight: 4, arbitrary: onNode('stop', 'kill', 'start', 'isolate', 'heal') },
            { weight: 1, arbitrary: fc.record({ kind: fc.constant('loseAll') }) },
            { weight: 1, arbitrary: purge(LATE_MS) },
            ...(nodes === 1 ? [] : [{ weight: 3, arbitrary: ofLock }]),
          ),
        ),
        (world, events) => new IndexerWorld(world).check(events),
      ),
      { numRuns: caseCount(12, 150), includeErrorInReport: true },
    ));
}
