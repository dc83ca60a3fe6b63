// A schedule in words: `Weekly on Monday to Friday at 07:00, Europe/Oslo`.
import type { Schedule, Selector } from '../../../../api/saved-search.ts';
import { instantText } from '../../../../model/document-value.ts';
import { type Choice, dayChoices, HOURS, MONTHS } from './schedule-values.ts';

/** A schedule in words. */
export function scheduleText(schedule: Schedule): string {
  const { timeZoneId, expiration } = schedule;
  const parts = [
    `${daysText(schedule)} ${hoursText(schedule.hours)}`,
    ...(timeZoneId === null ? [] : [timeZoneId]),
    ...(expiration === null ? [] : [`until ${instantText(expiration)} UTC`]),
  ];
  return parts.join(', ');
}

function daysText({ type, days, months }: Schedule): string {
  const choices = dayChoices(type) ?? [];
  const on = days === null ? '' : ` on ${selectorText(days, choices, 'days')}`;
  switch (type) {
    case 'DAILY':
      return 'Daily';
    case 'WEEKLY':
      return `Weekly${on}`;
    case 'MONTHLY':
      return `Monthly${on}`;
    case 'ANNUALLY':
      return `Yearly${on} of ${months === null ? '' : selectorText(months, MONTHS, 'months')}`;
    case 'CALENDAR':
      return days === null ? '' : `On ${selectorText(days, [], 'days')}`;
  }
}

function hoursText(hours: Selector): string {
  if (hours.type === 'LIST') return `at ${selectorText(hours, HOURS, 'hours')}`;
  const [from = '', to = ''] = hours.values.map((value) => labelOf(value, HOURS));
  const step = hours.interval ?? 1;
  return `every ${step === 1 ? 'hour' : `${step} hours`} from ${from} to ${to}`;
}

/** @param unit of the interval of a range */
function selectorText(selector: Selector, choices: readonly Choice[], unit: string): string {
  const labels = selector.values.map((value) => labelOf(value, choices));
  if (selector.type === 'RANGE') {
    const step = selector.interval ?? 1;
    return `${labels.join(' to ')}${step === 1 ? '' : `, every ${step} ${unit}`}`;
  }
  const last = labels.at(-1) ?? '';
  return labels.length < 2 ? last : `${labels.slice(0, -1).join(', ')} and ${last}`;
}

function labelOf(value: string, choices: readonly Choice[]): string {
  return choices.find((choice) => choice.value === value)?.label ?? value;
}
