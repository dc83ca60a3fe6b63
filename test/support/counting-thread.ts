// A thread that takes and gives back shares, or counts events, as fast as it can: for tests with
// several threads that count together.
import { parentPort, workerData } from 'node:worker_threads';
import { LocalCounter } from '../../src/auth/window-counter.ts';
import { ProcessCounts } from '../../src/http/admission/process-counts.ts';
import { Shares } from '../../src/http/admission/shares.ts';
import { seededRandom } from '../../src/testing/seeded-random.ts';
import { type CountingThreadData, HELD, MOST, TAKES } from './counting-figures.ts';

const { data, thread, rounds, total, job, figures } = workerData as CountingThreadData;
const alone = { tell: () => {}, onEvent: () => {} };
const counts = new ProcessCounts(data, thread, alone);

/** @returns the number of times that it got what it asked for */
function takeAndGive(): number {
  const rules = { total, groupShare: 0.75, memberShare: 0.75, weightOf: () => 1 };
  const shares = new Shares(rules, counts.placesOf('searches').running);
  const random = seededRandom(thread + 1);
  const below = (most: number) => Math.floor(random() * most);
  const held: { group: string; member: string; amount: number }[] = [];
  const giveFirst = () => {
    const first = held.shift();
    if (first === undefined) return;
    const { amount, ...party } = first;
    Atomics.sub(figures, HELD, amount);
    shares.give({ ...party, anonymous: false }, amount);
  };
  let takes = 0;
  for (let round = 0; round < rounds; round++) {
    const party = { group: `g${below(40)}`, member: `m${below(3)}`, anonymous: false };
    const amount = 1 + below(4);
    if (shares.take(party, amount) === null) {
      takes++;
      held.push({ group: party.group, member: party.member, amount });
      const sum = Atomics.add(figures, HELD, amount) + amount;
      if (sum > Atomics.load(figures, MOST)) Atomics.store(figures, MOST, sum);
      Atomics.add(figures, TAKES, 1);
    } else giveFirst();
    if (held.length > 3) giveFirst();
  }
  while (held.length > 0) giveFirst();
  return takes;
}

/** @returns the counts of each event */
function countEvents(): number[] {
  const rules = { windowMs: 1e12, start: 'first' } as const;
  const counter = new LocalCounter({ now: () => 0 }, rules, counts.windowsOf('clients'));
  return Array.from({ length: rounds }, () => counter.add('client').count);
}

parentPort?.postMessage(job === 'shares' ? takeAndGive() : countEvents());
