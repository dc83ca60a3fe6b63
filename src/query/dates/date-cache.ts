// What aggregations compute about dates and need again: clocks of zones, printers, the texts of
// bucket keys, and the intervals of histograms. A search backend has one.
// Invariant: a cached value depends on its key alone.
import type { DateIntervals } from '../aggregation/aggregation.ts';
import { type DatePrinter, datePrinter } from './date-format.ts';
import { DateRounding } from './date-intervals.ts';
import { ZoneClock } from './zone-clock.ts';

const CLOCKS_MAX = 100;
const PRINTERS_MAX = 16;
const ROUNDINGS_MAX = 16;
const KEY_TEXTS_MAX = 4_096;

export class DateCache {
  readonly #clocks = new Map<string, ZoneClock>();
  readonly #printers = new Map<string, DatePrinter | undefined>();
  readonly #roundings = new Map<string, DateRounding>();

  /**
   * Returns the printer of bucket keys, which repeat: a text that was printed before takes a tenth
   * of the time. undefined for an unknown format.
   */
  printer(format: string | null, zoneName: string): DatePrinter | undefined {
    return getOrCreate(this.#printers, PRINTERS_MAX, `${zoneName} ${format}`, () => {
      const print = datePrinter(format, this.#clock(zoneName));
      return print && withTexts(print);
    });
  }

  /** The intervals of a date histogram, with the days that were rounded before. */
  rounding(intervals: DateIntervals): DateRounding {
    const { every, timeZone, offsetMs } = intervals;
    return getOrCreate(this.#roundings, ROUNDINGS_MAX, `${every} ${offsetMs} ${timeZone}`, () => {
      return new DateRounding(intervals, this.#clock(timeZone));
    });
  }

  #clock(zoneName: string): ZoneClock {
    return getOrCreate(this.#clocks, CLOCKS_MAX, zoneName, () => new ZoneClock(zoneName));
  }
}

function withTexts(print: DatePrinter): DatePrinter {
  const texts = new Map<number, string>();
  return (instant) => getOrCreate(texts, KEY_TEXTS_MAX, instant, () => print(instant));
}

/** A full map is emptied. */
function getOrCreate<Key, Value>(
  map: Map<Key, Value>,
  sizeMax: number,
  key: Key,
  create: () => Value,
): Value {
  if (map.has(key)) return map.get(key) as Value;
  if (map.size >= sizeMax) map.clear();
  const value = create();
  map.set(key, value);
  return value;
}
