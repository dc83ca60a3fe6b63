// What aggregations compute about dates and need again: clocks of zones, printers, the texts of
// bucket keys, and the intervals of histograms. A search backend has one.
// Invariant: a cached value depends on its key alone.
import type { DateIntervals } from '../aggregation.ts';
import { BoundedMap } from '../bounded-map.ts';
import { type DatePrinter, type DateReader, datePrinter, dateReader } from './date-format.ts';
import { DateRounding } from './date-intervals.ts';
import { ZoneClock } from './zone-clock.ts';

export class DateCache {
  readonly #clocks = new BoundedMap<string, ZoneClock>({ kept: 100 });
  readonly #printers = new BoundedMap<string, DatePrinter | null>({ kept: 16 });
  readonly #roundings = new BoundedMap<string, DateRounding>({ kept: 16 });

  /**
   * Returns the printer of bucket keys, which repeat: a text that was printed before takes a tenth
   * of the time. null for an unknown format.
   */
  printer(format: string | null, zoneName: string): DatePrinter | null {
    return this.#printers.getOrCreate(`${zoneName} ${format}`, () => {
      const print = datePrinter(format, this.#clock(zoneName));
      return print === undefined ? null : withTexts(print);
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
  const texts = new BoundedMap<number, string>({ kept: 4_096 });
  return (instant) => texts.getOrCreate(instant, () => print(instant));
}
