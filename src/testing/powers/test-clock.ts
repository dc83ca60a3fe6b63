// The clock of a server for tests: the machine's, one that is shifted against it, or one that stands
// still. Date math of queries, times of records and schedules follow it; tokens do not.
import { ServiceError } from '../../errors.ts';

/** How the clock runs. */
export type ClockSetting =
  | { readonly mode: 'real' }
  /** Stands at an instant in epoch milliseconds. */
  | { readonly mode: 'frozen'; readonly at: number }
  /** Runs ahead of the machine's clock, or behind it if negative. */
  | { readonly mode: 'shifted'; readonly byMs: number };

const REAL_CLOCK: ClockSetting = { mode: 'real' };

const INSTANT = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/;
const SHIFT = /^([+-])(\d{1,7})([smhd])$/;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1e3, m: 6e4, h: 36e5, d: 864e5 };

/**
 * Reads `real`, an instant at which the clock stands still, or a shift such as `+90d` or `-6h`.
 * @throws RangeError with what it must be
 */
export function parseClock(text: string): ClockSetting {
  if (text === 'real') return REAL_CLOCK;
  const [, sign, digits, unit = ''] = SHIFT.exec(text) ?? [];
  if (digits !== undefined) {
    const byMs = Number(digits) * (UNIT_MS[unit] ?? 0);
    return { mode: 'shifted', byMs: sign === '-' ? -byMs : byMs };
  }
  const at = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(at)) return { mode: 'frozen', at };
  throw new RangeError(
    'must be real, an instant such as 2026-01-15T09:00:00Z, or a shift such as +90d or -6h',
  );
}

export class TestClock {
  readonly #initial: ClockSetting;
  #setting: ClockSetting;

  constructor(initial: ClockSetting) {
    this.#initial = initial;
    this.#setting = initial;
  }

  now(): number {
    const setting = this.#setting;
    switch (setting.mode) {
      case 'real':
        return Date.now();
      case 'frozen':
        return setting.at;
      case 'shifted':
        return Date.now() + setting.byMs;
    }
  }

  /** What the route answers. */
  describe(): { readonly now: string; readonly mode: ClockSetting['mode'] } {
    return { now: new Date(this.now()).toISOString(), mode: this.#setting.mode };
  }

  /** @throws ServiceError `request_invalid` unless `value` is `{"now": TEXT}` */
  set(value: unknown): void {
    const { now } = (value ?? {}) as { now?: unknown };
    if (typeof now !== 'string') throw invalid('now: a text is missing');
    try {
      this.#setting = parseClock(now);
    } catch (error) {
      throw invalid(`now: ${(error as Error).message}`);
    }
  }

  /** Back to the setting of the start. */
  reset(): void {
    this.#setting = this.#initial;
  }
}

function invalid(cause: string): ServiceError {
  return new ServiceError('request_invalid', 'The clock is not valid.', { causes: [cause] });
}
