// The powers for tests of a server: one object behind the routes, behind the hooks that see requests,
// and behind `cardea start --ephemeral`. Everything belongs to one tenant, but for the clock, which
// only the single tenant of a server may set.
import { randomUUID } from 'node:crypto';
import { ServiceError } from '../../errors.ts';
import type { TenantSnapshot } from '../../service/ports/snapshot-records.ts';
import type { Store } from '../../service/ports/store.ts';
import type { Advice, RecordedRequest } from '../types.ts';
import { adviceFor } from './advisor.ts';
import { type FaultEffect, type FaultPlan, readFaultPlan } from './fault-rules.ts';
import { type CountedRule, FaultSet } from './fault-set.ts';
import { type ObservedOutcome, type ObservedRequest, RequestJournal } from './request-journal.ts';
import type { TestClock } from './test-clock.ts';

export interface TestPowersOptions {
  readonly store: Store;
  readonly clock: TestClock;
  /** Faults of all tenants, from the settings. */
  readonly faults: FaultPlan;
  /** Makes all changes so far visible to searches, without the index lag. */
  showAll(): Promise<void>;
  /** Resolves when all changes so far are searchable. */
  untilSearchable(): Promise<void>;
  /** Forgets how many requests the clients of a tenant sent. */
  forgetRates(tenantId: string): void;
}

/** Snapshots of a tenant, and documents of one, at most: they are kept in memory. */
const SNAPSHOTS_MAX = 20;
const DOCUMENTS_MAX = 100_000;

interface TenantState {
  faults: FaultSet | null;
  /** The state that `reset` restores. */
  start: TenantSnapshot | null;
  readonly snapshots: Map<string, TenantSnapshot>;
}

export class TestPowers {
  readonly #options: TestPowersOptions;
  readonly #journal = new RequestJournal();
  readonly #tenants = new Map<string, TenantState>();
  readonly #common: FaultSet;

  constructor(options: TestPowersOptions) {
    this.#options = options;
    this.#common = new FaultSet(options.faults);
  }

  /** Sentences for the log at the start and `/ready`, so that nobody forgets what is on. */
  get notices(): readonly string[] {
    return [
      'The powers for tests are on (CARDEA_TESTING): administrators can inject faults, set the clock and reset their tenant.',
      ...this.effects,
    ];
  }

  /** One sentence for each of them that changes what the service does now. */
  get effects(): readonly string[] {
    const { mode, now } = this.#options.clock.describe();
    const rules = [this.#common, ...[...this.#tenants.values()].flatMap((t) => t.faults ?? [])]
      .map(({ plan }) => plan.faults.length)
      .reduce((sum, count) => sum + count, 0);
    return [
      ...(rules === 0
        ? []
        : [`Faults are injected by ${rules === 1 ? '1 rule' : `${rules} rules`}.`]),
      ...(mode === 'real' ? [] : [`The clock is ${mode}: it is ${now}.`]),
    ];
  }

  // What the hooks of the HTTP layer call.

  async tenantOf(clientId: string): Promise<string | null> {
    const { read } = this.#options.store;
    return (await read.credentialById(clientId))?.tenantId ?? null;
  }

  faultFor({ tenantId, clientId, method, path }: ObservedRequest): FaultEffect | null {
    const subject = { method, path, client: clientId };
    const own = this.#tenants.get(tenantId)?.faults?.next(subject) ?? null;
    const common = this.#common.next(subject);
    return own ?? common;
  }

  ended(request: ObservedRequest, outcome: ObservedOutcome): void {
    this.#journal.record(request, outcome);
  }

  // What the routes and the library call.

  faults(tenantId: string): { seed: number; faults: readonly CountedRule[] } {
    const set = this.#tenants.get(tenantId)?.faults;
    const seed = set?.plan.seed ?? this.#common.plan.seed;
    return { seed, faults: [...(set?.counts ?? []), ...this.#common.counts] };
  }

  setFaults(tenantId: string, value: unknown) {
    const plan = readFaultPlan(value);
    this.#state(tenantId).faults = plan.faults.length === 0 ? null : new FaultSet(plan);
    return this.faults(tenantId);
  }

  requests(tenantId: string): { total: number; requests: readonly RecordedRequest[] } {
    const requests = this.#journal.entries(tenantId);
    return { total: this.#journal.total(tenantId), requests };
  }

  forgetRequests(tenantId: string): void {
    this.#journal.forget(tenantId);
  }

  advice(tenantId: string): readonly Advice[] {
    return adviceFor(this.#journal.entries(tenantId));
  }

  clock() {
    return this.#options.clock.describe();
  }

  async setClock(tenantId: string, value: unknown) {
    const { clock } = this.#options;
    if (!(await this.#isAlone(tenantId))) {
      throw new ServiceError('forbidden', 'The clock belongs to all tenants of the server.', {
        causes: ['this server has several tenants: start one for the test that sets the clock'],
      });
    }
    clock.set(value);
    return clock.describe();
  }

  async takeSnapshot(tenantId: string): Promise<{ id: string; documents: number }> {
    const { snapshots } = this.#state(tenantId);
    if (snapshots.size >= SNAPSHOTS_MAX) {
      throw new ServiceError('limit_violation', 'The tenant has too many snapshots.', {
        causes: [`there are ${SNAPSHOTS_MAX}: delete one first`],
      });
    }
    const snapshot = await this.#read(tenantId);
    const id = randomUUID();
    snapshots.set(id, snapshot);
    return { id, documents: snapshot.documents };
  }

  async restoreSnapshot(tenantId: string, id: string): Promise<void> {
    const snapshot = this.#tenants.get(tenantId)?.snapshots.get(id);
    if (snapshot === undefined) throw noSnapshot();
    await this.#restore(snapshot);
  }

  deleteSnapshot(tenantId: string, id: string): void {
    if (this.#tenants.get(tenantId)?.snapshots.delete(id) !== true) throw noSnapshot();
  }

  /** Makes all changes so far visible to searches, without the index lag. */
  showAll(): Promise<void> {
    return this.#options.showAll();
  }

  /** Makes the present state the one that `reset` restores. */
  async rememberStart(tenantId: string): Promise<void> {
    this.#state(tenantId).start = await this.#read(tenantId);
  }

  /** Restores the state of the start: data, clock, faults, journal and counted requests. */
  async reset(tenantId: string): Promise<void> {
    const state = this.#tenants.get(tenantId);
    if (state?.start == null) {
      throw new ServiceError('not_found', 'The start of this tenant was not kept.', {
        causes: ['it is kept by cardea start --ephemeral: take a snapshot and restore that'],
      });
    }
    await this.#restore(state.start);
    state.faults = null;
    this.#journal.forget(tenantId);
    this.#options.forgetRates(tenantId);
    if (await this.#isAlone(tenantId)) this.#options.clock.reset();
  }

  /** Lets go of a tenant that is no longer used. */
  forget(tenantId: string): void {
    this.#tenants.delete(tenantId);
    this.#journal.forget(tenantId);
  }

  #state(tenantId: string): TenantState {
    const state = this.#tenants.get(tenantId) ?? {
      faults: null,
      start: null,
      snapshots: new Map(),
    };
    this.#tenants.set(tenantId, state);
    return state;
  }

  /** In a write: a snapshot is of one moment. */
  #read(tenantId: string): Promise<TenantSnapshot> {
    return this.#options.store.write((records) => records.tenantSnapshot(tenantId, DOCUMENTS_MAX));
  }

  async #restore(snapshot: TenantSnapshot): Promise<void> {
    const { store, showAll, untilSearchable } = this.#options;
    await store.write((records) => records.restoreTenant(snapshot));
    await showAll();
    await untilSearchable();
  }

  async #isAlone(tenantId: string): Promise<boolean> {
    return (await this.#options.store.read.tenants()).every(({ id }) => id === tenantId);
  }
}

function noSnapshot(): ServiceError {
  return new ServiceError('not_found', 'There is no such snapshot.');
}
