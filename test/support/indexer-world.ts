// One or three nodes that feed a fake index from a fake store in virtual time: the model for tests
// with random schedules of writes, faults, takeovers and restarts.
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { ElectedIndexer } from '../../src/backends/elected-indexer.ts';
import { type Feeding, Indexer } from '../../src/backends/indexer.ts';
import { StoreHistory } from '../../src/backends/store-history.ts';
import { FakeLock } from './fake-lock.ts';
import { type Durability, FakeSearch, type FakeSearchNode, liveVersions } from './fake-search.ts';
import { FakeStore } from './fake-store.ts';
import type { CallName, Fault } from './faulty-calls.ts';
import { VirtualTime } from './virtual-time.ts';

export interface WorldOptions {
  readonly durability: Durability;
  /** Several nodes elect a feeder, and need durability `cluster`. */
  readonly nodes: number;
  readonly batchSize: number;
  readonly fullBatches: boolean;
  readonly refreshBytes: number;
  readonly commitMs: number;
}

/** An event's action. Node numbers are taken modulo the number of nodes. */
export type Happening =
  | { readonly kind: 'put' | 'delete'; readonly tenant: string; readonly id: string }
  | { readonly kind: 'waitFor'; readonly node: number }
  | {
      readonly kind: 'fault';
      readonly node: number;
      readonly call: CallName;
      readonly fault: Fault;
    }
  | { readonly kind: 'loseUncommitted' | 'loseAll' }
  | { readonly kind: 'isolate' | 'heal' | 'stop' | 'kill' | 'start'; readonly node: number }
  | { readonly kind: 'loseLock' | 'slowRelease'; readonly ms: number }
  | { readonly kind: 'lockAway' | 'lockBack' }
  /** Not while a node is isolated, nor soon after: its requests may arrive when the isolation ends. */
  | { readonly kind: 'purge'; readonly olderThanMs: number };

export interface Event {
  /** Virtual time since the previous event. */
  readonly afterMs: number;
  readonly happening: Happening;
}

interface Node {
  readonly name: string;
  readonly connection: FakeSearchNode;
  /** Reports a write of this node. */
  readonly written: () => void;
  readonly indexer: Feeding;
  isolated: boolean;
  /** Settles when a requested stop is complete. */
  stopped: Promise<void> | null;
}

const LOG = { info: () => {}, warn: () => {} };
const POLL_MS = 200;
const SILENCE_MS = 1_000;
/** How long a dead node keeps the lock. */
const DEAD_MS = 1_000;
const WAIT_MS = 2_000;
/** Within this time after an isolation the requests that were sent during it arrive: two faults. */
const ARRIVAL_MS = 10_000;
/** Time to recover: far above the longest pause of a feeder, 5 s, and the longest fault. */
const RECOVERY_MS = 60_000;

export class IndexerWorld {
  readonly time = new VirtualTime();
  readonly store = new FakeStore();
  readonly search: FakeSearch;
  readonly lock = new FakeLock(this.time);
  readonly #options: WorldOptions;
  readonly #nodes: (Node | null)[];
  /** Searches that missed a change that they had waited for. */
  readonly #missed: string[] = [];
  /** The last change at each time of a write. */
  readonly #marks: { readonly at: number; readonly sequence: number }[] = [];
  #demanding = false;
  #isolationEnded = Number.NEGATIVE_INFINITY;

  constructor(options: WorldOptions) {
    this.#options = options;
    this.search = new FakeSearch(this.time, this.store, options.durability);
    this.#nodes = Array.from({ length: options.nodes }, () => null);
    for (let node = 0; node < options.nodes; node++) this.#start(node);
  }

  /**
   * Runs the schedule, ends all faults, and checks that the index recovers, also after all nodes
   * die.
   */
  async check(events: readonly Event[]): Promise<void> {
    for (const { afterMs, happening } of events) {
      await this.time.pass(afterMs);
      this.#happen(happening);
    }
    this.lock.heal();
    // A node that cannot stop because a call hangs is killed by its supervisor.
    for (const [at, node] of this.#nodes.entries()) {
      if (node?.isolated === true && node.stopped !== null) this.#kill(at);
    }
    // Isolated nodes stay isolated as long as another node can feed.
    const reachable = this.#nodes.some((node) => node?.isolated === false && node.stopped === null);
    for (const node of this.#nodes) if (!reachable || !node?.isolated) this.#heal(node);
    await this.#recover();
    for (const node of this.#nodes) this.#heal(node);
    await this.#recover();

    for (const at of this.#nodes.keys()) this.#kill(at);
    await this.#recover();
    this.store.put('a', 'last');
    await this.#recover();
    assert.deepEqual(this.search.wrongCommits, [], 'commits');
    assert.deepEqual(this.#missed, [], 'changes waited for');
    for (const at of this.#nodes.keys()) this.#stop(at);
    await this.time.settle(Promise.all(this.#nodes.map((node) => node?.stopped)));
    assert.equal(this.search.committed, this.store.lastSequence);
    assert.equal(this.lock.holder, null);
  }

  #happen(happening: Happening): void {
    switch (happening.kind) {
      case 'put':
      case 'delete':
        this.store[happening.kind](happening.tenant, happening.id);
        this.#marks.push({ at: this.time.now(), sequence: this.store.lastSequence });
        this.#nodes[this.store.lastSequence % this.#nodes.length]?.written();
        break;
      case 'waitFor':
        this.#waitFor(this.#node(happening.node));
        break;
      case 'fault':
        this.#node(happening.node)?.connection.calls.fail(happening.call, happening.fault);
        break;
      case 'loseUncommitted':
      case 'loseAll':
        this.search[happening.kind]();
        break;
      case 'isolate':
        this.#isolate(this.#node(happening.node));
        break;
      case 'heal':
        this.#heal(this.#node(happening.node));
        break;
      case 'stop':
        this.#stop(this.#at(happening.node));
        break;
      case 'kill':
        this.#kill(this.#at(happening.node));
        break;
      case 'start':
        this.#start(this.#at(happening.node));
        break;
      case 'loseLock':
        this.lock.lose(happening.ms);
        break;
      case 'slowRelease':
        this.lock.slowRelease(happening.ms);
        break;
      case 'lockAway':
        this.lock.suspend();
        break;
      case 'lockBack':
        this.lock.heal();
        break;
      case 'purge':
        this.#purge(happening.olderThanMs);
        break;
    }
  }

  #purge(olderThanMs: number): void {
    if (this.#nodes.some((node) => node?.isolated === true)) return;
    if (this.time.now() < this.#isolationEnded + ARRIVAL_MS) return;
    const until = this.time.now() - olderThanMs;
    const mark = this.#marks.findLast(({ at }) => at <= until);
    if (mark !== undefined) this.store.purge(mark.sequence);
  }

  /** Starts stopped nodes, and lets time pass until the index equals the store. */
  async #recover(): Promise<void> {
    for (const at of this.#nodes.keys()) this.#start(at);
    const expected = liveVersions(this.store.changes);
    const recovered = await this.time.reaches(
      () => this.#isFed() && isDeepStrictEqual(this.search.searchableVersions(), expected),
      RECOVERY_MS,
    );
    assert.deepEqual(this.search.searchableVersions(), expected);
    assert.ok(
      recovered,
      `the index is not fed: ${JSON.stringify(this.#reachable()?.indexer.status())}`,
    );
  }

  /** True if the first reachable node reports that everything is searchable and committed. */
  #isFed(): boolean {
    const { fullBatches } = this.#options;
    const { lastSequence } = this.store;
    const indexer = this.#reachable()?.indexer;
    const status = indexer?.status();
    if (status?.applied === lastSequence && status.error === null) {
      return fullBatches || this.search.committed === lastSequence;
    }
    if (fullBatches) this.#demand(lastSequence, indexer);
    return false;
  }

  /** Partial batches are fed only while a caller waits. */
  #demand(sequence: number, indexer: Feeding | undefined): void {
    if (this.#demanding || indexer === undefined) return;
    this.#demanding = true;
    const end = () => {
      this.#demanding = false;
    };
    indexer.waitFor(sequence, WAIT_MS).then(end, end);
  }

  #reachable(): Node | null {
    return this.#nodes.find((node) => node?.isolated === false && node.stopped === null) ?? null;
  }

  #at(node: number): number {
    return node % this.#nodes.length;
  }

  #node(node: number): Node | null {
    return this.#nodes[this.#at(node)] ?? null;
  }

  #start(at: number): void {
    const before = this.#nodes[at];
    if (before !== null && before !== undefined) {
      // A stopping node is replaced after it has stopped.
      void before.stopped?.then(() => {
        if (this.#nodes[at] === before) this.#replace(at);
      });
      return;
    }
    this.#replace(at);
  }

  #replace(at: number): void {
    const name = `node${at}`;
    const { time } = this;
    const { nodes, ...options } = this.#options;
    const connection = this.search.connect(name);
    const { store, written } = this.store.open(connection.calls);
    const backend = connection.port();
    const history = new StoreHistory(store.read, LOG);
    let indexer: Feeding = new Indexer(store, backend, {
      ...{ ...options, history, pollMs: POLL_MS, refreshMs: 20, timers: time, log: LOG },
    });
    if (nodes > 1) {
      indexer = new ElectedIndexer(history, backend, indexer as Indexer, {
        ...{ lock: this.lock.port(name), timers: time, log: LOG },
        ...{ pollMs: POLL_MS, silenceMs: SILENCE_MS },
      });
    }
    this.#nodes[at] = { name, connection, written, indexer, isolated: false, stopped: null };
    indexer.start();
  }

  #stop(at: number): void {
    const node = this.#nodes[at];
    if (node !== null && node !== undefined) node.stopped ??= node.indexer.stop();
  }

  /** Kills the node. */
  #kill(at: number): void {
    const node = this.#nodes[at];
    if (node === null || node === undefined) return;
    this.#endIsolation(node);
    node.connection.kill();
    this.lock.forget(node.name, DEAD_MS);
    this.#nodes[at] = null;
  }

  #isolate(node: Node | null): void {
    if (node === null) return;
    node.isolated = true;
    node.connection.calls.isolate();
  }

  #heal(node: Node | null): void {
    if (node === null) return;
    this.#endIsolation(node);
    node.connection.calls.heal();
  }

  #endIsolation(node: Node): void {
    if (node.isolated) this.#isolationEnded = this.time.now();
    node.isolated = false;
  }

  /** Checks that a search finds a change after waiting for it, unless it was replaced or lost. */
  #waitFor(node: Node | null): void {
    const change = this.store.changes.at(-1);
    if (node === null || change === undefined) return;
    const { sequence, tenantId, id } = change;
    node.indexer.waitFor(sequence, WAIT_MS).then(
      () => {
        const replaced = !this.store.changes.some((current) => current.sequence === sequence);
        if (replaced || this.search.losses > 0) return;
        if (this.search.searchable(tenantId, id) === sequence) return;
        this.#missed.push(`change ${sequence} of ${tenantId}/${id} at ${node.name}`);
      },
      () => {}, // The wait may time out during faults.
    );
  }
}
