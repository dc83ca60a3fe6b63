// What aggregations compute about dates and need again: clocks of zones, printers, the texts of
// bucket keys, and the intervals of histograms. A search backend has one.
// Invariant: a cached value depends on its key alone.
import type { DateIntervals } from '../aggregation.ts';
import { BoundedMap } from '../bounded-map.ts';
import { type DatePrinter, type DateReader, datePrinter, dateReader } from './date-format.ts';
import { DateRounding } from './date-intervals.ts';
import { ZoneClock } from './zone-clock.ts';

const CLOCKS_MAX = 100;
const PRINTERS_MAX = 16;
const ROUNDINGS_MAX = 16;
const KEY_TEXTS_MAX = 4_096;

export class DateCache {
  readonly #clocks = new BoundedMap<string, ZoneClock>(CLOCKS_MAX);
  readonly #printers = new BoundedMap<string, DatePrinter | undefined>(PRINTERS_MAX);
  readonly #roundings = new BoundedMap<string, DateRounding>(ROUNDINGS_MAX);

  /**
   * Returns the printer of bucket keys, which repeat: a text that was printed before takes a tenth
   * of the time. undefined for an unknown format.
   */
  printer(format: string | null, zoneName: string): DatePrinter | undefined {
    return this.#printers.getOrCreate(`${zoneName} ${format}`, () => {
      const print = datePrinter(format, this.#clock(zoneName));
      return print && withTexts(print);
    });
  }

  /** Returns the reader of what the printer prints; undefined if that cannot be read. */
  reader(format: string, zoneName: string): DateReader | undefined {
    return dateReader(format, this.#clock(zoneName));
  }

  /** The intervals of a date histogram, with the days that were rounded before. */
  rounding(intervals: DateIntervals): DateRounding {
    const { every, timeZone, offsetMs } = intervals;
    return this.#roundings.getOrCreate(`${every} ${offsetMs} ${timeZone}`, () => {
      return new DateRounding(intervals, this.#clock(timeZone));
    });
  }

  #clock(zoneName: string): ZoneClock {
    return this.#clocks.getOrCreate(zoneName, () => new ZoneClock(zoneName));
  }
}

function withTexts(print: DatePrinter): DatePrinter {
  const texts = new BoundedMap<number, string>(KEY_TEXTS_MAX);
  return (instant) => texts.getOrCreate(instant, () => print(instant));
}
