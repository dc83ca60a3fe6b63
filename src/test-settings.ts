// Parsers of the settings for tests: faults, the clock and the index lag.
import { InvalidValue, type Parser } from './config-values.ts';
import { ServiceError } from './errors.ts';
import { type FaultPlan, readFaultPlan } from './test-powers/fault-rules.ts';
import { type ClockSetting, parseClock } from './test-powers/test-clock.ts';

/** A JSON list of rules of faults, or an object with a seed. */
export const faultPlan: Parser<FaultPlan> = (text) => {
  try {
    return readFaultPlan(JSON.parse(text));
  } catch (error) {
    if (error instanceof ServiceError) {
      throw new InvalidValue(`is not valid: ${(error.details.causes ?? []).join('; ')}`);
    }
    throw new InvalidValue(`is not valid JSON: ${(error as Error).message}`);
  }
};

export const clockSetting: Parser<ClockSetting> = (text) => {
  try {
    return parseClock(text);
  } catch (error) {
    throw new InvalidValue((error as Error).message);
  }
};

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };
const LAG_MS_MAX = 600_000;

/** `off`, a time such as `5s`, or a range such as `2s-30s`. */
export const indexLag: Parser<{ readonly leastMs: number; readonly mostMs: number } | null> = (
  text,
) => {
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
