// What matters about a person, first: state, the risks that a reviewer looks for, and how many
// accounts are open. Only what the document records; nothing is scored.

import { firstText, valuesAt } from '../../model/document-value.ts';
import type { Tone } from '../../ui/values/status-tone.ts';

/** A remark about a person or an account. */
export interface Remark {
  readonly text: string;
  readonly tone: Tone;
}

const DAY_MS = 86_400_000;
/** Days without a login after which an account is dormant, as on the dashboard. */
const DORMANT_DAYS = 90;
/** Days before the end date from which on it is a remark. */
const ENDING_DAYS = 30;

/** The risks of an identity, the most severe first; none for an ordinary one. */
export function risksOf(identity: unknown, nowMs: number): Remark[] {
  const accounts = valuesAt(identity, 'accounts');
  const open = accounts.filter(isOpen);
  const isInactive = valuesAt(identity, 'inactive')[0] === true;
  const isUncorrelated = valuesAt(identity, 'identityProfile').length === 0;
  const count = (list: readonly unknown[], one: string, many = `${one}s`) =>
    `${list.length} ${list.length === 1 ? one : many}`;
  const privileged = valuesAt(identity, 'access').filter((one) => isTrue(one, 'privileged'));
  const dormant = open.filter((account) => isDormant(account, nowMs));
  const manual = accounts.filter((account) => isTrue(account, 'manuallyCorrelated'));
  const candidates: readonly (readonly [isShown: boolean, remark: Remark])[] = [
    [
      isInactive && open.length > 0,
      { text: `Inactive, with ${count(open, 'open account')}`, tone: 'bad' },
    ],
    [
      privileged.length > 0,
      { text: `${count(privileged, 'privileged entitlement')}`, tone: 'warn' },
    ],
    [dormant.length > 0, { text: `${count(dormant, 'dormant account')}`, tone: 'warn' }],
    [manual.length > 0, { text: `${count(manual, 'manually correlated account')}`, tone: 'info' }],
    [isUncorrelated, { text: 'Without an identity profile', tone: 'info' }],
  ];
  const ending = endingRemark(firstText(identity, 'attributes.endDate'), nowMs);
  return [
    ...candidates.filter(([isShown]) => isShown).map(([, remark]) => remark),
    ...(ending === null ? [] : [ending]),
  ];
}

/** The state of an account: its flags, or that it is open. */
export function accountStates(account: unknown, nowMs: number): Remark[] {
  const flags: Remark[] = [
    ...(isTrue(account, 'disabled') ? [{ text: 'Disabled', tone: 'warn' as const }] : []),
    ...(isTrue(account, 'locked') ? [{ text: 'Locked', tone: 'bad' as const }] : []),
  ];
  return [
    ...(flags.length === 0 ? [{ text: 'Open', tone: 'good' as const }] : flags),
    ...(isTrue(account, 'privileged') ? [{ text: 'Privileged', tone: 'warn' as const }] : []),
    ...(isTrue(account, 'manuallyCorrelated')
      ? [{ text: 'Manually correlated', tone: 'info' as const }]
      : []),
    ...(isOpen(account) && isDormant(account, nowMs)
      ? [{ text: 'Dormant', tone: 'warn' as const }]
      : []),
  ];
}

/** Accounts in the order of what a reviewer looks at: open ones, with the most remarks first. */
export function accountsByConcern(accounts: readonly unknown[], nowMs: number): unknown[] {
  const rank = (account: unknown) => (isOpen(account) ? accountStates(account, nowMs).length : 0);
  return [...accounts].sort((one, other) => rank(other) - rank(one));
}

/** How many accounts are in each state, in the order of `accountStates`. */
export function stateCounts(
  accounts: readonly unknown[],
  nowMs: number,
): (Remark & { readonly count: number })[] {
  const counts = new Map<string, Remark & { count: number }>();
  for (const account of accounts)
    for (const remark of accountStates(account, nowMs)) {
      const known = counts.get(remark.text);
      if (known === undefined) counts.set(remark.text, { ...remark, count: 1 });
      else known.count += 1;
    }
  return [...counts.values()];
}

/** `in 12 days`, `3 days ago`, `today`; '' for a text that is no date. */
export function distanceText(date: string, nowMs: number): string {
  const time = Date.parse(date);
  if (Number.isNaN(time)) return '';
  const days = Math.floor(time / DAY_MS) - Math.floor(nowMs / DAY_MS);
  if (days === 0) return 'today';
  const [amount, unit] =
    Math.abs(days) < 60
      ? [Math.abs(days), 'day']
      : Math.abs(days) < 730
        ? [Math.round(Math.abs(days) / 30.4), 'month']
        : [Math.floor(Math.abs(days) / 365.25), 'year'];
  const span = `${amount} ${unit}${amount === 1 ? '' : 's'}`;
  return days > 0 ? `in ${span}` : `${span} ago`;
}

function endingRemark(endDate: string, nowMs: number): Remark | null {
  const time = Date.parse(endDate);
  if (Number.isNaN(time)) return null;
  const days = (time - nowMs) / DAY_MS;
  if (days < 0 || days > ENDING_DAYS) return null;
  return { text: `Leaves ${distanceText(endDate, nowMs)}`, tone: 'warn' };
}

/** True if an account is not disabled. */
export function isOpen(account: unknown): boolean {
  return !isTrue(account, 'disabled');
}

function isDormant(account: unknown, nowMs: number): boolean {
  const login = Date.parse(firstText(account, 'accountAttributes.lastLogin'));
  return nowMs - login > DORMANT_DAYS * DAY_MS;
}

function isTrue(value: unknown, member: string): boolean {
  return valuesAt(value, member)[0] === true;
}
