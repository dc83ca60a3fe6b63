// Tests the in-process counter against the contract of all counters.
import { systemClock } from '../../src/auth/clock.ts';
import { LocalCounter } from '../../src/auth/window-counter.ts';
import { windowCounterContract } from './window-counter.ts';

windowCounterContract('in this process', async () => ({
  counter: (_name, rules) => new LocalCounter(systemClock, rules),
  close: async () => {},
}));
