// The rules of injected faults: what a rule matches and what happens then, read from JSON.
// Invariant: a rule that is accepted says exactly one thing about when and one about what.
import { ServiceError } from '../../errors.ts';

/** Which requests a rule concerns; all given members must match. */
export interface FaultMatch {
  /** Upper case. */
  readonly method?: string;
  /** The path without its query; `*` stands for any characters. */
  readonly path?: string;
  /** Client id of the credential. */
  readonly client?: string;
  /** Of the requests that match: each one with this probability. */
  readonly probability?: number;
  /** … every n-th one. */
  readonly every?: number;
  /** … the first n. */
  readonly first?: number;
}

/** What happens to a request instead of, or before, its answer. */
export interface FaultEffect {
  /** Answers with this status, 400 to 599. */
  readonly status?: number;
  /** Value of the header Retry-After in seconds, with a status. */
  readonly retryAfter?: number;
  /** Waits before anything else. */
  readonly delayMs?: number;
  /** Closes the connection without an answer, before the request is worked on. */
  readonly drop?: true;
  /** Closes the connection after this many bytes of the body of the answer. */
  readonly truncate?: number;
}

export interface FaultRule {
  readonly match: FaultMatch;
  readonly then: FaultEffect;
}

/** A list of rules and the seed of their random choices. */
export interface FaultPlan {
  readonly seed: number;
  readonly faults: readonly FaultRule[];
}

export const NO_FAULTS: FaultPlan = { seed: 1, faults: [] };

const RULES_MAX = 100;
const SEED_MAX = 2 ** 31 - 1;
const DELAY_MS_MAX = 60_000;
const RETRY_AFTER_MAX = 3_600;
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const TEXT_MAX = 2_048;

type Check = (value: unknown) => string | null;

const MATCH: Readonly<Record<keyof FaultMatch, Check>> = {
  method: (value) => (METHODS.includes(String(value)) ? null : `one of ${METHODS.join(', ')}`),
  path: (value) =>
    isText(value) && /^[/*]/.test(value) ? null : 'a path such as /v2024/search or */search',
  client: (value) => (isText(value) ? null : 'a client id'),
  probability: (value) =>
    typeof value === 'number' && value >= 0 && value <= 1 ? null : 'a number from 0 to 1',
  every: whole(1, 1_000_000),
  first: whole(1, 1_000_000),
};

const THEN: Readonly<Record<keyof FaultEffect, Check>> = {
  status: whole(400, 599),
  retryAfter: whole(1, RETRY_AFTER_MAX),
  delayMs: whole(0, DELAY_MS_MAX),
  drop: (value) => (value === true ? null : 'true'),
  truncate: whole(0, 2 ** 31 - 1),
};

/**
 * Reads a list of rules, or an object with `faults` and an optional `seed`.
 * @throws ServiceError `request_invalid` with every fault of it
 */
export function readFaultPlan(value: unknown): FaultPlan {
  const {
    seed = 1,
    faults = null,
    ...rest
  } = Array.isArray(value) ? { faults: value } : membersOf(value);
  const problems = Object.keys(rest).map((name) => `${name}: not a member; there are seed, faults`);
  const seedProblem = whole(0, SEED_MAX)(seed);
  if (seedProblem !== null) problems.push(`seed: must be ${seedProblem}`);
  if (!Array.isArray(faults)) problems.push('faults: must be a list of rules');
  else if (faults.length > RULES_MAX) problems.push(`faults: ${RULES_MAX} rules at most`);
  else problems.push(...faults.flatMap((rule, n) => problemsOf(rule, `faults[${n}]`)));
  if (problems.length > 0) {
    throw new ServiceError('request_invalid', 'The faults are not valid.', { causes: problems });
  }
  return { seed: seed as number, faults: faults as readonly FaultRule[] };
}

function problemsOf(rule: unknown, at: string): string[] {
  const { match = {}, then = null, ...rest } = membersOf(rule);
  const problems = Object.keys(rest).map(
    (name) => `${at}.${name}: not a member; there are match, then`,
  );
  if (typeof then !== 'object' || then === null) {
    return [...problems, `${at}.then: must say what happens, such as {"status": 503}`];
  }
  problems.push(...memberProblems(match, MATCH, `${at}.match`));
  problems.push(...memberProblems(then, THEN, `${at}.then`));
  const choices = countOf(match, ['probability', 'every', 'first']);
  if (choices > 1) problems.push(`${at}.match: only one of probability, every, first`);
  const effects = countOf(then, ['status', 'drop', 'truncate']);
  if (effects > 1) problems.push(`${at}.then: only one of status, drop, truncate`);
  if (effects === 0 && !('delayMs' in then)) {
    problems.push(`${at}.then: needs one of status, delayMs, drop, truncate`);
  }
  if ('retryAfter' in then && !('status' in then)) {
    problems.push(`${at}.then.retryAfter: needs a status`);
  }
  return problems;
}

function memberProblems(
  value: unknown,
  checks: Readonly<Record<string, Check>>,
  at: string,
): string[] {
  return Object.entries(membersOf(value)).flatMap(([name, member]) => {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (check === undefined) {
      return [`${at}.${name}: not a member; there are ${Object.keys(checks).join(', ')}`];
    }
    const expected = check(member);
    return expected === null ? [] : [`${at}.${name}: must be ${expected}`];
  });
}

/** The members of an object; a value that is none has the single member `""`. */
function membersOf(value: unknown): Record<string, unknown> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? { ...value } : { '': value };
}

function countOf(value: unknown, names: readonly string[]): number {
  const members = membersOf(value);
  return names.filter((name) => Object.hasOwn(members, name)).length;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= TEXT_MAX;
}

function whole(least: number, most: number): Check {
  return (value) =>
    Number.isInteger(value) && Number(value) >= least && Number(value) <= most
      ? null
      : `a whole number from ${least} to ${most}`;
}
