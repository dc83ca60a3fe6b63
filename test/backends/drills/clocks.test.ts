// Three nodes under load whose clocks differ by an hour (robustness lines 38 and 39).
import { after, test } from 'node:test';
import {
  assertClocksTold,
  assertExpiryByOwnClock,
  assertGuessesCounted,
  CLOCKS_MS,
  feedByAnyClock,
} from './clocks.ts';
import { Drills, drillLine } from './drill.ts';
import { startInstallation } from './installation.ts';

const installation = await startInstallation({ clocksMs: CLOCKS_MS });
after(() => installation.stop());

test('nodes an hour apart: tokens of each are good at all, any of them feeds, and order is kept', async (t) => {
  const drills = await Drills.begin(installation);
  t.diagnostic(drillLine(await feedByAnyClock(installation, drills)));
});

test('a node says that its clock is not that of the database', () =>
  assertClocksTold(installation));

test('when a credential ends is judged by the clock of the node that is asked', () =>
  assertExpiryByOwnClock(installation));

// Last, since this address has to wait afterwards; the credential that had ended was counted.
test('wrong secrets are counted by one clock', () => assertGuessesCounted(installation, 1));
