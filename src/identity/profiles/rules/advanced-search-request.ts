// The body of an advanced search, and what its rules do to the rules that are kept
// (contract/profiles.md sections 5.2 and 5.6). All faults of a request are gathered before it is
// refused.

import type { BetweenStatements, Condition } from '../../ports/profile-search.ts';
import {
  addError,
  type FieldErrors,
  isFaultless,
  parameterMissing,
  recordRefused,
} from '../faults.ts';
import type { ResolvedRule, RuleContext } from './resolved-rule.ts';
import { resolveRule } from './rule-condition.ts';
import {
  faultsOfRule,
  MAX_RULES,
  mergeRule,
  RULES,
  type Rule,
  readRule,
  type SavedRule,
  type Sent,
} from './search-rule.ts';

/** What is to be done with a search; it stands in the sentence that refuses it. */
export type SearchVerb = 'create' | 'update' | 'run';

/** A body, as far as it is a body at all. */
export interface SearchRequest {
  /** undefined: not sent. */
  readonly label: string | null | undefined;
  /** As sent, each an object; undefined: not sent. */
  readonly rules: readonly Sent[] | undefined;
}

/**
 * Reads `{"advanced_search": {…}}`.
 * @throws ServiceError `request_invalid`
 */
export function readSearchRequest(body: unknown, verb: SearchVerb): SearchRequest {
  const search = isObject(body) ? body['advanced_search'] : undefined;
  if (!isObject(search) || Object.keys(search).length === 0) {
    throw parameterMissing('advanced_search');
  }
  const errors: FieldErrors = {};
  const label = search['label'];
  const hasLabel = verb !== 'run' && label !== undefined && label !== null;
  if (hasLabel && typeof label !== 'string') addError(errors, 'label', 'must be a string');
  const rules = search[RULES];
  if (rules !== undefined && !(Array.isArray(rules) && rules.every(isObject))) {
    addError(errors, RULES, 'must be an array of rules');
  } else if (rules !== undefined && rules.length > MAX_RULES) refuseLength(errors);
  refuseFaults(errors, verb);
  return { label: label as string | null | undefined, rules: rules as readonly Sent[] | undefined };
}

/** Rules understood in one go: each looks some names up in the store. */
const RULES_PER_STEP = 16;

/**
 * The rules of a request that are not to be destroyed; ids count for nothing.
 * @param between called after some rules each
 * @throws ServiceError `request_invalid`
 */
export async function resolveSentRules(
  sent: readonly Sent[],
  context: RuleContext,
  verb: SearchVerb,
  between: BetweenStatements = async () => {},
): Promise<readonly ResolvedRule[]> {
  const errors: FieldErrors = {};
  const resolved: (ResolvedRule | null)[] = [];
  for (const [index, rule] of sent.entries()) {
    if (index % RULES_PER_STEP === 0) await between();
    if (!isDestroyed(rule)) resolved.push(await understand(rule, index, context, errors));
  }
  refuseFaults(errors, verb);
  return resolved.filter((rule) => rule !== null);
}

/**
 * What kept rules mean now.
 * @throws ServiceError `request_invalid` where they name what is no longer there
 */
export async function resolveKeptRules(
  kept: readonly Rule[],
  context: RuleContext,
  between: BetweenStatements,
): Promise<readonly ResolvedRule[]> {
  const errors: FieldErrors = {};
  const resolved: (ResolvedRule | null)[] = [];
  for (const [index, rule] of kept.entries()) {
    if (index % RULES_PER_STEP === 0) await between();
    resolved.push(await resolveRule(rule, context, faultsOfRule(errors, index)));
  }
  refuseFaults(errors, 'run');
  return resolved.filter((rule) => rule !== null);
}

/** What the rules ask of a profile; a rule that every profile meets asks nothing. */
export function conditionsOf(rules: readonly ResolvedRule[]): readonly Condition[] {
  return rules.map(({ condition }) => condition).filter((condition) => condition !== null);
}

/**
 * The kept rules after an edit: a rule with an id changes or ends the one kept, one without is
 * added, and those that are not named stay as they are, even if they could not be kept today.
 * @param identify gives a new rule its keys
 * @throws ServiceError `request_invalid`
 */
export async function editRules(
  kept: readonly SavedRule[],
  sent: readonly Sent[],
  context: RuleContext,
  identify: () => { readonly id: string; readonly uid: string },
): Promise<readonly SavedRule[]> {
  const errors: FieldErrors = {};
  const rules = [...kept];
  for (const [index, rule] of sent.entries()) {
    const key = keyOf(rule);
    if (key === null) {
      if (isDestroyed(rule)) continue;
      const added = await understand(rule, index, context, errors);
      if (added !== null) rules.push({ ...identify(), ...added.rule });
      continue;
    }
    const at = rules.findIndex(({ id, uid }) => id === key || uid === key);
    const old = rules[at];
    if (old === undefined) addError(errors, RULES, `there is no rule ${key}`);
    else if (isDestroyed(rule)) rules.splice(at, 1);
    else {
      const edited = await understand(mergeRule(old, rule), index, context, errors);
      if (edited !== null) rules[at] = { id: old.id, uid: old.uid, ...edited.rule };
    }
  }
  if (rules.length > MAX_RULES) refuseLength(errors);
  refuseFaults(errors, 'update');
  return rules;
}

async function understand(
  sent: Sent,
  index: number,
  context: RuleContext,
  errors: FieldErrors,
): Promise<ResolvedRule | null> {
  const before = Object.keys(errors).length;
  const faults = faultsOfRule(errors, index);
  const rule = readRule(sent, faults);
  // A text that is none would be told to be missing, too.
  return Object.keys(errors).length > before ? null : resolveRule(rule, context, faults);
}

function keyOf({ id }: Sent): string | null {
  return id === undefined || id === null || id === '' ? null : String(id);
}

function isDestroyed({ _destroy: flag }: Sent): boolean {
  return flag === true || flag === 1 || flag === 'true' || flag === '1';
}

function refuseLength(errors: FieldErrors): void {
  addError(errors, RULES, `is too long (maximum is ${MAX_RULES} rules)`);
}

function refuseFaults(errors: FieldErrors, verb: SearchVerb): void {
  if (!isFaultless(errors)) throw recordRefused('advanced search', verb, errors);
}

function isObject(value: unknown): value is Sent {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
