// The values of schedules and their labels: hours, days of the week and of the month, months.
import type { ScheduleType } from '../../../../api/saved-search.ts';

/** A value as the service spells it, and its label. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  /** The label where there is little room. */
  readonly short: string;
}

/** The last day of a month. */
export const LAST_DAY = 'L';

export const HOURS: readonly Choice[] = numbers(0, 23).map((hour) => {
  const label = `${hour.padStart(2, '0')}:00`;
  return { value: hour, label, short: hour.padStart(2, '0') };
});

export const WEEK_DAYS: readonly Choice[] = [
  ...['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'],
].map((label) => ({
  value: label.slice(0, 3).toUpperCase(),
  label,
  short: label.slice(0, 3),
}));

export const MONTH_DAYS: readonly Choice[] = [
  ...numbers(1, 31).map((day) => ({ value: day, label: `day ${day}`, short: day })),
  { value: LAST_DAY, label: 'the last day', short: 'Last' },
];

export const MONTHS: readonly Choice[] = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September'],
  ...['October', 'November', 'December'],
].map((label, at) => ({ value: String(at + 1), label, short: label.slice(0, 3) }));

/** The days that a type of schedules offers; null: it has none, or dates. */
export function dayChoices(type: ScheduleType): readonly Choice[] | null {
  switch (type) {
    case 'WEEKLY':
      return WEEK_DAYS;
    case 'MONTHLY':
    case 'ANNUALLY':
      return MONTH_DAYS;
    case 'DAILY':
    case 'CALENDAR':
      return null;
  }
}

function numbers(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, at) => String(from + at));
}
