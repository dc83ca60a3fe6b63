// Advanced searches: stored, edited, and run. A stored search holds its rules as sent; each run
// resolves them again, since the names they refer to, and the day, may have changed.
// Invariant: an edit is stored as a whole or not at all.
import { randomUUID } from 'node:crypto';
import { authorize } from '../../../auth/access.ts';
import type { Caller } from '../../../auth/caller.ts';
import { type Clock, systemClock } from '../../../auth/clock.ts';
import { TurnQueue } from '../../../scheduling/turn-queue.ts';
import type { AdvancedSearch } from '../../ports/advanced-search-records.ts';
import type {
  Collection,
  Page,
  PageRequest,
  Condition as RecordCondition,
} from '../../ports/collection.ts';
import type { ProfileOrder } from '../../ports/profile-records.ts';
import type { BetweenStatements } from '../../ports/profile-search.ts';
import type { Waiter } from '../../ports/search-backend.ts';
import type { Records, Store } from '../../ports/store.ts';
import { type Change, recordChanges } from '../resources/change-event.ts';
import { resourceMissing } from '../resources/faults.ts';
import { COMMON_FILTERS } from '../resources/field-filters.ts';
import { wireValue } from '../resources/wire-names.ts';
import { dayInZone } from '../values/date-format.ts';
import { showProfiles } from '../values/shown-profiles.ts';
import {
  conditionsOf,
  editRules,
  readSearchRequest,
  resolveSavedRules,
  resolveSentRules,
} from './advanced-search-request.ts';
import {
  attributeFilters,
  conditionsOfFilters,
  type ProfileFilterRequest,
  recordFilters,
} from './profile-filters.ts';
import { SEARCH_TIMEOUT_MS, searchPauses, searchProfiles } from './profile-search.ts';
import type { ResolvedRule, RuleContext } from './resolved-rule.ts';
import { ruleSubjects } from './rule-subjects.ts';
import { RULES } from './search-rule.ts';

export interface AdvancedSearchOptions {
  readonly clock?: Clock;
  /** Milliseconds that a run may take. */
  readonly timeoutMs?: number;
  /** Shared with other users of profiles; if omitted, a new one. */
  readonly turns?: TurnQueue;
  /** Time zone of the day `Today`: an IANA id or an offset. */
  readonly timeZone?: string;
}

/** A record with wire names. */
export type Shown = Readonly<Record<string, unknown>>;

/** Stored searches as a collection; its key is in the singular, so its answers are always keyed. */
export const ADVANCED_SEARCHES: Collection = {
  key: 'advanced_search',
  limitMax: 1000,
  filters: {
    id: COMMON_FILTERS.id,
    uid: COMMON_FILTERS.uid,
    label: { type: 'text' },
    conditionRulesAttributes: { type: 'none' },
    createdAt: COMMON_FILTERS.createdAt,
    updatedAt: COMMON_FILTERS.updatedAt,
  },
  orders: ['id', 'uid', 'label', 'createdAt', 'updatedAt'],
};

const TITLE = 'Advanced Search';

/** The use cases of advanced search. */
export class AdvancedSearches {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #timeZone: string;
  readonly #timeoutMs: number;
  readonly #turns: TurnQueue;

  constructor(store: Store, options: AdvancedSearchOptions = {}) {
    const { clock = systemClock, timeZone = 'UTC', timeoutMs = SEARCH_TIMEOUT_MS } = options;
    this.#store = store;
    this.#clock = clock;
    this.#timeZone = timeZone;
    this.#timeoutMs = timeoutMs;
    this.#turns = options.turns ?? new TurnQueue();
  }

  /** @throws ServiceError `forbidden` */
  async list(caller: Caller, request: PageRequest): Promise<Page<Shown>> {
    authorize(caller, 'profiles:read');
    const { read } = this.#store;
    const { limit, offset, order, metadata: total, filters } = request;
    const where = await Promise.all(
      Object.entries(filters).map(async ([member, value]): Promise<RecordCondition> => {
        if (typeof value === 'object') return { member, within: value };
        if (member !== 'id') return { member, equals: value };
        const match = await read.advancedSearch(caller.tenantId, String(value));
        return { member, equals: match?.id ?? value };
      }),
    );
    const page = await read.advancedSearchPage(caller.tenantId, {
      where,
      limit,
      offset,
      order,
      total,
    });
    return { ...page, rows: page.rows.map(shown) };
  }

  /** @throws ServiceError `not_found` */
  async get(caller: Caller, key: string): Promise<Shown> {
    authorize(caller, 'profiles:read');
    return shown(await findSearch(this.#store.read, caller, key));
  }

  /** @throws ServiceError `request_invalid` */
  create(caller: Caller, body: unknown): Promise<Shown> {
    authorize(caller, 'profiles:write');
    const { label = null, rules = [] } = readSearchRequest(body, 'create');
    return this.#store.write(async (records) => {
      const context = this.#context(records, caller);
      const resolved = await resolveSentRules(rules, context, 'create');
      const at = this.#now();
      const search: AdvancedSearch = {
        ...newKeys(),
        createdAt: at,
        updatedAt: at,
        label,
        rules: resolved.map(({ rule }) => ({ ...newKeys(), ...rule })),
      };
      await records.addAdvancedSearch(caller.tenantId, search);
      await recordChanges(records, caller, change('CREATE', at), [
        { ...identityOf(search), before: null, after: search },
      ]);
      return shown(search);
    });
  }

  /** @throws ServiceError `not_found`, `request_invalid` */
  edit(caller: Caller, key: string, body: unknown): Promise<Shown> {
    authorize(caller, 'profiles:write');
    const { label, rules = [] } = readSearchRequest(body, 'update');
    return this.#store.write(async (records) => {
      const old = await findSearch(records, caller, key);
      const context = this.#context(records, caller);
      const at = this.#now();
      const search: AdvancedSearch = {
        ...old,
        updatedAt: at,
        label: label === undefined ? old.label : label,
        rules: await editRules(old.rules, rules, context, newKeys),
      };
      await records.updateAdvancedSearch(caller.tenantId, search);
      await recordChanges(records, caller, change('MODIFY', at), [
        { ...identityOf(search), before: old, after: search },
      ]);
      return shown(search);
    });
  }

  /** @throws ServiceError `not_found` */
  async remove(caller: Caller, key: string): Promise<void> {
    authorize(caller, 'profiles:write');
    await this.#store.write(async (records) => {
      const search = await findSearch(records, caller, key);
      await records.deleteAdvancedSearch(caller.tenantId, search.id);
      await recordChanges(records, caller, change('DELETE', this.#now()), [
        { ...identityOf(search), before: search, after: null },
      ]);
    });
  }

  /**
   * Runs a stored search. Its profiles pass the filters of the page, too.
   * @throws ServiceError `not_found`, `request_invalid` if a rule refers to something that was
   * deleted, a filter is invalid or the page would be too large; `deadline_exceeded`, `cancelled`
   */
  async run(
    caller: Caller,
    key: string,
    page: ProfileFilterRequest,
    options: Waiter = {},
  ): Promise<Page<Shown>> {
    authorize(caller, 'profiles:read');
    const { read } = this.#store;
    const { rules } = await findSearch(read, caller, key);
    return this.#find(caller, page, options, (context, between) =>
      resolveSavedRules(rules, context, between),
    );
  }

  /**
   * Runs the rules of a body without storing them.
   * @throws ServiceError `request_invalid`, `deadline_exceeded`, `cancelled`
   */
  async runOnce(
    caller: Caller,
    body: unknown,
    page: ProfileFilterRequest,
    options: Waiter = {},
  ): Promise<Page<Shown>> {
    authorize(caller, 'profiles:read');
    const { rules = [] } = readSearchRequest(body, 'run');
    return this.#find(caller, page, options, (context, between) =>
      resolveSentRules(rules, context, 'run', between),
    );
  }

  async #find(
    caller: Caller,
    { order, limit, offset, metadata: total, filters, others }: ProfileFilterRequest,
    { signal, memory }: Waiter,
    resolve: (context: RuleContext, between: BetweenStatements) => Promise<readonly ResolvedRule[]>,
  ): Promise<Page<Shown>> {
    const { read } = this.#store;
    const { tenantId } = caller;
    const between = searchPauses(this.#turns, this.#timeoutMs, signal);
    const rules = await resolve(this.#context(read, caller), between);
    const onRecord = await recordFilters(read, tenantId, filters);
    const onValues = await attributeFilters(read, tenantId, others);
    const search = {
      ...{ archived: false, offset, limit, total },
      order: (order ?? 'createdAt') as ProfileOrder,
      conditions: [
        ...conditionsOf(rules),
        ...conditionsOfFilters(onRecord),
        ...onValues.conditions,
      ],
    };
    const { profiles, total: all } = await searchProfiles(read, tenantId, search, between);
    const rows = await showProfiles(read, tenantId, profiles, { pause: between, memory });
    return { rows, total: all, unknown: onValues.unknown };
  }

  #context(records: Records, { tenantId }: Caller): RuleContext {
    const today = dayInZone(this.#clock.now(), this.#timeZone);
    return { subjects: ruleSubjects(records, tenantId), today };
  }

  #now(): string {
    return new Date(this.#clock.now()).toISOString();
  }
}

async function findSearch(
  records: Records,
  { tenantId }: Caller,
  key: string,
): Promise<AdvancedSearch> {
  const search = await records.advancedSearch(tenantId, key);
  if (search === null) throw resourceMissing(TITLE);
  return search;
}

function shown({ id, uid, label, rules }: AdvancedSearch): Shown {
  return { id, uid, label, [RULES]: wireValue(rules) };
}

function newKeys(): { id: string; uid: string } {
  return { id: randomUUID(), uid: randomUUID().replaceAll('-', '') };
}

function identityOf({ id, uid, label }: AdvancedSearch): { id: string; name: string } {
  return { id, name: label ?? uid };
}

function change(operation: Change['operation'], at: string): Change {
  return { operation, title: TITLE, at };
}
