// Settings of servers for tests.
import { onOff } from '../config-values.ts';
import { clockSetting, faultPlan, indexLag } from '../test-settings.ts';
import { setting } from './setting.ts';

/** In the order of help texts. */
export const TESTS = {
  testing: setting(
    'testing',
    'off',
    'Powers for tests: administrators may inject faults, read requests and advice, set the clock, take snapshots and reset. Never for real data.',
    onOff,
    { value: 'on|off' },
  ),
  faults: setting(
    'faults',
    null,
    'Faults for all tenants, with --testing on: a JSON list of rules, or a file of one; see docs/testing.md.',
    faultPlan,
    { value: 'json|file' },
  ),
  now: setting(
    'now',
    'real',
    'The clock, with --testing on: an instant at which it stands still, or a shift such as +90d.',
    clockSetting,
    { value: 'instant|shift' },
  ),
  indexLag: setting(
    'index-lag',
    'off',
    'Time after which a search sees a change, with --testing on: such as 5s, or 2s-30s for a random time.',
    indexLag,
    { value: 'time' },
  ),
};
