// The body of an advanced search, and how its rules edit the stored rules (contract/profiles.md
// sections 5.2 and 5.6). All errors of a request are collected before it is rejected.

import { isObject } from '../../../query/body.ts';
import type { Rule, SavedRule } from '../../ports/advanced-search-records.ts';
import type { BetweenStatements, Condition } from '../../ports/profile-search.ts';
import {
  addError,
  type FieldErrors,
  isFaultless,
  parameterMissing,
  recordRefused,
} from '../resources/faults.ts';
import { missingWrapperHints } from '../resources/misplaced-members.ts';
import type { ResolvedRule, RuleContext } from './resolved-rule.ts';
import { resolveRule } from './rule-condition.ts';
import { faultsOfRule, MAX_RULES, mergeRule, RULES, readRule, type Sent } from './search-rule.ts';

/** The verb of the request, for the error sentence. */
export type SearchVerb = 'create' | 'update' | 'run';

/** A body of the right shape; the rules themselves are not read yet. */
export interface SearchRequest {
  /** undefined: not sent. */
  readonly label: string | null | undefined;
  /** Each an object; undefined: not sent. */
  readonly rules: readonly Sent[] | undefined;
}

/**
 * Reads `{"advanced_search": {…}}`.
 * @throws ServiceError `request_invalid`
 */
export function readSearchRequest(body: unknown, verb: SearchVerb): SearchRequest {
  const search = isObject(body) ? body['advanced_search'] : undefined;
  if (!isObject(search) || Object.keys(search).length === 0) {
    throw parameterMissing('advanced_search', missingWrapperHints(body, 'advanced_search'));
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

/** Rules resolved in one turn: each reads some names from the store. */
const RULES_PER_STEP = 16;

/**
 * Resolves the rules of a request, without those to destroy; ids are ignored.
 * @param between called after every few rules
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
    if (!isDestroyed(rule)) resolved.push(await readAndResolve(rule, index, context, errors));
  }
  refuseFaults(errors, verb);
  return resolved.filter((rule) => rule !== null);
}

/**
 * Resolves stored rules by the current names.
 * @throws ServiceError `request_invalid` if they refer to something that was deleted
 */
export async function resolveSavedRules(
  rules: readonly Rule[],
  context: RuleContext,
  between: BetweenStatements,
): Promise<readonly ResolvedRule[]> {
  const errors: FieldErrors = {};
  const resolved: (ResolvedRule | null)[] = [];
  for (const [index, rule] of rules.entries()) {
    if (index % RULES_PER_STEP === 0) await between();
    resolved.push(await resolveRule(rule, context, faultsOfRule(errors, index)));
  }
  refuseFaults(errors, 'run');
  return resolved.filter((rule) => rule !== null);
}

/** The conditions of the rules; a rule that every profile matches has none. */
export function conditionsOf(rules: readonly ResolvedRule[]): readonly Condition[] {
  return rules.map(({ condition }) => condition).filter((condition) => condition !== null);
}

/**
 * Edits stored rules: a rule with an id changes or deletes the stored one, one without is added,
 * and others stay unchanged, even if they are no longer valid.
 * @param identify returns the keys of a new rule
 * @throws ServiceError `request_invalid`
 */
export async function editRules(
  saved: readonly SavedRule[],
  sent: readonly Sent[],
  context: RuleContext,
  identify: () => { readonly id: string; readonly uid: string },
): Promise<readonly SavedRule[]> {
  const errors: FieldErrors = {};
  const rules = [...saved];
  for (const [index, rule] of sent.entries()) {
    const key = keyOf(rule);
    if (key === null) {
      if (isDestroyed(rule)) continue;
      const added = await readAndResolve(rule, index, context, errors);
      if (added !== null) rules.push({ ...identify(), ...added.rule });
      continue;
    }
    const at = rules.findIndex(({ id, uid }) => id === key || uid === key);
    const old = rules[at];
    if (old === undefined) addError(errors, RULES, `there is no rule ${key}`);
    else if (isDestroyed(rule)) rules.splice(at, 1);
    else {
      const edited = await readAndResolve(mergeRule(old, rule), index, context, errors);
      if (edited !== null) rules[at] = { id: old.id, uid: old.uid, ...edited.rule };
    }
  }
  if (rules.length > MAX_RULES) refuseLength(errors);
  refuseFaults(errors, 'update');
  return rules;
}

async function readAndResolve(
  sent: Sent,
  index: number,
  context: RuleContext,
  errors: FieldErrors,
): Promise<ResolvedRule | null> {
  const before = Object.keys(errors).length;
  const faults = faultsOfRule(errors, index);
  const rule = readRule(sent, faults);
  // Avoids a second error "can't be blank" for a member of the wrong type.
  return Object.keys(errors).length > before ? null : resolveRule(rule, context, faults);
}

function keyOf({ id }: Sent): string | null {
  if (id === undefined || id === null || id === '') return null;
  return typeof id === 'string' ? id : JSON.stringify(id);
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
