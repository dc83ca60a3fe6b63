// Reads the body of a scheduled search and its schedule (contract/search.md section 8).
// Invariant: an accepted schedule has a next time, unless its dates or its expiration are over.
import { strictIsoDate } from '../../query/analysis/values.ts';
import { invalid, Members, wrongType } from '../../query/body.ts';
import type {
  Schedule,
  ScheduledSearchDefinition,
  Selector,
} from '../ports/saved-search-records.ts';
import { LAST_DAY, nextDue, WEEK_DAYS } from './due-times.ts';
import { DAY_MS, UTC_ZONE, zoneOf } from './local-time.ts';
import { readText } from './saved-search-request.ts';

const MAX_TEXT_LENGTH = 2_000;
export const MAX_RECIPIENTS = 100;
const MAX_VALUES = 400;
/** Longest range of dates. */
const MAX_CALENDAR_DAYS = 3_660;
const TYPES = ['DAILY', 'WEEKLY', 'MONTHLY', 'CALENDAR', 'ANNUALLY'] as const;
/** The latest expiration: the end of 32-bit time. */
const LATEST = '2038-01-19T03:14:07.000Z';

/**
 * Reads a scheduled search.
 * @throws ServiceError `body_malformed`, `request_invalid`
 */
export function readScheduledSearch(body: unknown): ScheduledSearchDefinition {
  const members = new Members(body, '');
  const schedule = members.members('schedule');
  if (schedule === undefined) throw invalid('schedule: a schedule is needed');
  const savedSearchId = members.string('savedSearchId');
  if (savedSearchId === undefined)
    throw invalid('savedSearchId: the id of a saved search is needed');
  return {
    name: readText(members, 'name', MAX_TEXT_LENGTH) ?? null,
    description: readText(members, 'description', MAX_TEXT_LENGTH) ?? null,
    savedSearchId,
    schedule: readSchedule(schedule),
    recipients: readRecipients(members),
    enabled: members.boolean('enabled') ?? false,
    emailEmptyResults: members.boolean('emailEmptyResults') ?? false,
    displayQueryDetails: members.boolean('displayQueryDetails') ?? false,
  };
}

/** The ids of the identities in `recipients`, without duplicates. */
export function readRecipients(members: Members): readonly string[] {
  const list = members.get('recipients');
  if (list === undefined) throw invalid('recipients: a list of identities is needed');
  if (!Array.isArray(list)) throw wrongType('recipients', 'an array of {type, id}');
  if (list.length > MAX_RECIPIENTS) throw invalid(`recipients: at most ${MAX_RECIPIENTS}`);
  const ids = list.map((item, at) => readIdentity(new Members(item, `recipients[${at}]`)));
  return [...new Set(ids)];
}

/** The id of a reference to an identity: `{"type":"IDENTITY","id":"…"}`. */
export function readIdentity(members: Members): string {
  const type = members.string('type');
  if (type !== 'IDENTITY') throw invalid(`${members.pathOf('type')}: must be IDENTITY`);
  const id = members.string('id')?.trim();
  if (id === undefined || id === '') {
    throw invalid(`${members.pathOf('id')}: the id of an identity is needed`);
  }
  return id;
}

function readSchedule(members: Members): Schedule {
  const text = members.string('type');
  const type = TYPES.find((name) => name === text);
  if (type === undefined) throw invalid(`schedule.type: must be one of ${TYPES.join(', ')}`);
  const hours = readSelector(members, 'hours', wholeNumber(0, 23));
  if (hours === null) throw invalid('schedule.hours: a LIST or RANGE of hours is needed');
  const schedule = {
    type,
    months: readSelector(members, 'months', wholeNumber(1, 12)),
    days: readSelector(members, 'days', DAYS[type]),
    hours,
    expiration: readExpiration(members),
    timeZoneId: readZone(members),
  };
  refuseUnused(schedule);
  if (type === 'CALENDAR') checkCalendar(schedule);
  else if (nextDue({ ...schedule, expiration: null }, 0, UTC_ZONE) === null) {
    throw invalid('schedule.days: no year has such a day');
  }
  return schedule;
}

function refuseUnused({ type, months, days }: Schedule): void {
  if (type !== 'DAILY' && days === null) {
    throw invalid(`schedule.days: a schedule of the type ${type} needs days`);
  }
  if (type === 'DAILY' && days !== null) {
    throw invalid('schedule.days: a schedule of the type DAILY has no days; WEEKLY has');
  }
  if (type === 'ANNUALLY' && months === null) {
    throw invalid('schedule.months: a schedule of the type ANNUALLY needs months');
  }
  if (type !== 'ANNUALLY' && months !== null) {
    throw invalid(`schedule.months: a schedule of the type ${type} has no months; ANNUALLY has`);
  }
}

function checkCalendar({ days }: Schedule): void {
  if (days?.type === 'LIST') return;
  const [from = '', to = ''] = days?.values ?? [];
  if ((Date.parse(to) - Date.parse(from)) / DAY_MS > MAX_CALENDAR_DAYS) {
    throw invalid(`schedule.days.values: a range of at most ${MAX_CALENDAR_DAYS} days`);
  }
}

/** Checks one value and returns its place in order; undefined: it is none. */
interface ValueRule {
  readonly expected: string;
  orderOf(value: string): number | undefined;
}

function wholeNumber(from: number, to: number): ValueRule {
  return {
    expected: `a whole number from ${from} to ${to} as a string`,
    orderOf(value) {
      const number = Number(value);
      return /^\d{1,2}$/.test(value) && number >= from && number <= to ? number : undefined;
    },
  };
}

const DAY_OF_MONTH: ValueRule = {
  expected: 'a day from 1 to 31 as a string, or L for the last one',
  orderOf: (value) => (value === LAST_DAY ? 31 : wholeNumber(1, 31).orderOf(value)),
};

const WEEK_DAY: ValueRule = {
  expected: `one of ${WEEK_DAYS.join(', ')}`,
  orderOf: (value) => (WEEK_DAYS.includes(value) ? WEEK_DAYS.indexOf(value) : undefined),
};

const DATE: ValueRule = {
  expected: 'a date such as 2026-01-22',
  orderOf: (value) => (/^\d{4}-\d\d-\d\d$/.test(value) ? strictIsoDate(value) : undefined),
};

const DAYS: Readonly<Record<Schedule['type'], ValueRule>> = {
  DAILY: DAY_OF_MONTH,
  WEEKLY: WEEK_DAY,
  MONTHLY: DAY_OF_MONTH,
  CALENDAR: DATE,
  ANNUALLY: DAY_OF_MONTH,
};

function readSelector(schedule: Members, name: string, rule: ValueRule): Selector | null {
  const members = schedule.members(name);
  if (members === undefined) return null;
  const type = members.string('type');
  if (type !== 'LIST' && type !== 'RANGE') {
    throw invalid(`${members.pathOf('type')}: must be LIST or RANGE`);
  }
  const path = members.pathOf('values');
  const values = members.strings('values') ?? [];
  if (values.length === 0) throw invalid(`${path}: at least one value is needed`);
  if (values.length > MAX_VALUES) throw invalid(`${path}: at most ${MAX_VALUES} values`);
  const orders = values.map((value, at) => {
    const order = rule.orderOf(value);
    if (order === undefined) {
      const shown = JSON.stringify(value.slice(0, 60));
      throw invalid(`${path}[${at}]: ${shown} is not ${rule.expected}`);
    }
    return order;
  });
  const interval = readInterval(members);
  if (type === 'RANGE') {
    const [from = 0, to = 0] = orders;
    if (values.length !== 2) throw invalid(`${path}: a RANGE has a first and a last value`);
    if (from > to) {
      throw invalid(
        `${path}: the first value of a RANGE comes before the last; use a LIST instead`,
      );
    }
  }
  return { type, values, interval };
}

function readInterval(members: Members): number | null {
  const interval = members.number('interval');
  if (interval === undefined) return null;
  if (Number.isInteger(interval) && interval >= 1 && interval <= MAX_VALUES) return interval;
  throw invalid(`${members.pathOf('interval')}: a whole number from 1 to ${MAX_VALUES}`);
}

function readExpiration(members: Members): string | null {
  const text = members.string('expiration');
  if (text === undefined) return null;
  const instant = strictIsoDate(text);
  if (instant === undefined) {
    throw invalid('schedule.expiration: a time such as 2027-01-31T00:00:00Z is needed');
  }
  if (instant > Date.parse(LATEST)) throw invalid(`schedule.expiration: at most ${LATEST}`);
  return new Date(instant).toISOString();
}

function readZone(members: Members): string | null {
  const name = members.string('timeZoneId')?.trim();
  if (name === undefined || name === '') return null;
  if (zoneOf(name) !== null) return name;
  const shown = JSON.stringify(name.slice(0, 60));
  throw invalid(`schedule.timeZoneId: ${shown} is no time zone; use a name such as Europe/Berlin`);
}
