// Settings of servers for tests.

import { ServiceError } from '../../errors.ts';
import { parseJson } from '../../json/json-syntax.ts';
import { type FaultPlan, readFaultPlan } from '../../testing/powers/fault-rules.ts';
import { type ClockSetting, parseClock } from '../../testing/powers/test-clock.ts';
import { InvalidValue, onOff, type Parser } from './config-values.ts';
import { setting } from './setting.ts';

/** A JSON list of rules of faults, or an object with a seed. */
const faultPlan: Parser<FaultPlan> = (text) => {
  const plan = parseJson(text, (clause) => new InvalidValue(`is not valid JSON ${clause}`));
  try {
    return readFaultPlan(plan);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new InvalidValue(`is not valid: ${(error.details.causes ?? []).join('; ')}`);
  }
};

const clockSetting: Parser<ClockSetting> = (text) => {
  try {
    return parseClock(text);
  } catch (error) {
    throw new InvalidValue((error as Error).message);
  }
};

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };
const LAG_MS_MAX = 600_000;

/** `off`, a time such as `5s`, or a range such as `2s-30s`. */
const indexLag: Parser<{ readonly leastMs: number; readonly mostMs: number } | null> = (text) => {
  if (text === 'off') return null;
  const times = text.split('-').map((part) => {
    const [, digits = '', unit = ''] = /^(\d{1,6})(ms|s|m)$/.exec(part) ?? [];
    return digits === '' ? Number.NaN : Number(digits) * (UNIT_MS[unit] ?? Number.NaN);
  });
  const [leastMs = Number.NaN, mostMs = leastMs] = times;
  if (times.length <= 2 && leastMs <= mostMs && mostMs <= LAG_MS_MAX) return { leastMs, mostMs };
  throw new InvalidValue(
    'must be off, a time of at most 10m such as 5s, or a range such as 2s-30s',
  );
};

/** In the order of help texts. */
export const TESTS = {
  testing: setting(
    'testing',
    'off',
    'Powers for tests, which let administrators inject faults, set the clock, reset and more. Never for real data.',
    onOff,
    { value: 'on|off' },
  ),
  faults: setting(
    'faults',
    null,
    'Faults for all tenants, with --testing on: a JSON list of rules, or a file; see docs/testing.md.',
    faultPlan,
    { value: 'json|file' },
  ),
  now: setting(
    'now',
    'real',
    'The clock, with --testing on: an instant at which it stops, or a shift such as +90d.',
    clockSetting,
    { value: 'instant|shift' },
  ),
  indexLag: setting(
    'index-lag',
    'off',
    'Delay until a search sees a change, with --testing on: 5s, or 2s-30s for a random time.',
    indexLag,
    { value: 'time' },
  ),
};
