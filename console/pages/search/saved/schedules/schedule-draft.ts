// The content of the form of a schedule, and the schedule that it describes.
// Invariant: the draft of a schedule describes the same schedule again.
import type {
  Schedule,
  ScheduledSearch,
  ScheduledSearchDefinition,
  ScheduleType,
  Selector,
} from '../../../../api/saved-search.ts';

/** What the form offers: an hourly schedule is a daily one with a range of hours. */
export type Frequency = 'HOURLY' | ScheduleType;

export interface ScheduleDraft {
  readonly name: string;
  readonly description: string;
  readonly frequency: Frequency;
  readonly hours: Selector;
  readonly days: Selector;
  readonly months: Selector;
  /** `YYYY-MM-DDTHH:MM`, in UTC, as of an input of the type datetime-local; '': never. */
  readonly expiration: string;
  /** '': that of the service. */
  readonly timeZone: string;
  /** Ids of identities. */
  readonly recipients: readonly string[];
  readonly enabled: boolean;
  readonly emailEmptyResults: boolean;
  readonly displayQueryDetails: boolean;
}

const JANUARY: Selector = { type: 'LIST', values: ['1'], interval: null };
const MORNING: Selector = { type: 'LIST', values: ['7'], interval: null };
const ALL_DAY: Selector = { type: 'RANGE', values: ['0', '23'], interval: null };

/**
 * A new schedule: on weekdays in the morning.
 * @param recipient an identity; null: none
 */
export function newDraft(timeZone: string, recipient: string | null): ScheduleDraft {
  return {
    ...{ name: '', description: '', frequency: 'WEEKLY', hours: MORNING, months: JANUARY },
    days: { type: 'RANGE', values: ['MON', 'FRI'], interval: null },
    ...{ expiration: '', timeZone, recipients: recipient === null ? [] : [recipient] },
    ...{ enabled: true, emailEmptyResults: false, displayQueryDetails: false },
  };
}

/** The draft of a schedule that is there. */
export function draftOf(scheduled: ScheduledSearch): ScheduleDraft {
  const { name, description, schedule, recipients } = scheduled;
  const { enabled, emailEmptyResults, displayQueryDetails } = scheduled;
  const { type, hours, days, months, expiration, timeZoneId } = schedule;
  return {
    name: name ?? '',
    description: description ?? '',
    frequency: type === 'DAILY' && hours.type === 'RANGE' ? 'HOURLY' : type,
    hours,
    days: days ?? MORNING,
    months: months ?? JANUARY,
    expiration: expiration?.slice(0, 'YYYY-MM-DDTHH:MM'.length) ?? '',
    timeZone: timeZoneId ?? '',
    recipients: recipients.map(({ id }) => id),
    ...{ enabled, emailEmptyResults, displayQueryDetails },
  };
}

/**
 * A draft with another frequency. Its days are other values, so they begin again.
 * @param today `YYYY-MM-DD`
 */
export function withFrequency(
  draft: ScheduleDraft,
  frequency: Frequency,
  today: string,
): ScheduleDraft {
  const isHourly = frequency === 'HOURLY';
  const hasRange = draft.hours.type === 'RANGE';
  const hours = isHourly && !hasRange ? ALL_DAY : draft.hours;
  return {
    ...draft,
    frequency,
    // A daily schedule with a range of hours is an hourly one.
    hours: frequency === 'DAILY' && hasRange ? MORNING : hours,
    days: firstDays(frequency, today),
  };
}

/** The body that stores a draft. */
export function definitionOf(
  draft: ScheduleDraft,
  savedSearchId: string,
): ScheduledSearchDefinition {
  const { enabled, emailEmptyResults, displayQueryDetails } = draft;
  const [name, description] = [draft.name.trim(), draft.description.trim()];
  return {
    name: name === '' ? null : name,
    description: description === '' ? null : description,
    savedSearchId,
    schedule: scheduleOf(draft),
    recipients: draft.recipients.map((id) => ({ type: 'IDENTITY', id })),
    ...{ enabled, emailEmptyResults, displayQueryDetails },
  };
}

/** The schedule of a draft. */
export function scheduleOf(draft: ScheduleDraft): Schedule {
  const { frequency, hours, days, months, expiration } = draft;
  const type = frequency === 'HOURLY' ? 'DAILY' : frequency;
  const timeZone = draft.timeZone.trim();
  return {
    type,
    months: type === 'ANNUALLY' ? months : null,
    days: type === 'DAILY' ? null : days,
    hours,
    expiration: expiration === '' ? null : `${expiration}:00.000Z`,
    timeZoneId: timeZone === '' ? null : timeZone,
  };
}

function firstDays(frequency: Frequency, today: string): Selector {
  if (frequency === 'WEEKLY') return { type: 'RANGE', values: ['MON', 'FRI'], interval: null };
  const values = [frequency === 'CALENDAR' ? today : '1'];
  return { type: 'LIST', values, interval: null };
}
