// A fake search index in memory, for tests of the indexers' recovery. Every call can fail, hang or
// arrive late (faulty-calls.ts), and the index can lose uncommitted changes, or everything.
// Invariant: it guarantees only what service/ports/search-backend.ts guarantees: after a loss the
// feeder's next call fails once, and then `committedSequence` is the only way to know where to
// resume.
import { ServiceError } from '../../src/errors.ts';
import type { SearchBackend } from '../../src/service/ports/search-backend.ts';
import type { DocumentChange } from '../../src/service/ports/store.ts';
import { type FakeStore, keyOf } from './fake-store.ts';
import { type CallName, FaultyCalls } from './faulty-calls.ts';
import type { VirtualTime } from './virtual-time.ts';

/** The last change of each document. */
type Documents = Map<string, DocumentChange>;

interface Committed {
  readonly sequence: number;
  /** The index that was committed; not valid for another one. */
  readonly generation: number;
  readonly documents: Documents;
}

/**
 * `process`: applied changes are in the memory of the process until the commit, as in the embedded
 * engine. `cluster`: applied changes are durable and shared by all nodes, as in OpenSearch.
 */
export type Durability = 'process' | 'cluster';

const NOTHING: Committed = { sequence: 0, generation: 0, documents: new Map() };

export class FakeSearch {
  isRebuilding = false;
  readonly durability: Durability;
  readonly #time: VirtualTime;
  readonly #store: FakeStore;
  #applied: Documents = new Map();
  #searchable: Documents = new Map();
  #committed = NOTHING;
  /** Number of indexes so far; a lost one is replaced by an empty one. */
  #generation = 0;
  /** The last change when the index was last empty. */
  #emptyAt = 0;
  /** Number of losses. */
  losses = 0;
  /** Commits of a sequence for which the index lacked an earlier change. */
  readonly wrongCommits: string[] = [];
  /** Calls that took effect, such as `apply a 1,2`, prefixed with the name of the node, if any. */
  readonly log: string[] = [];

  constructor(time: VirtualTime, store: FakeStore, durability: Durability) {
    this.#time = time;
    this.#store = store;
    this.durability = durability;
  }

  get committed(): number {
    return this.#committed.generation === this.#generation ? this.#committed.sequence : 0;
  }

  /** The sequence of the searchable version of a document; 0: none. */
  searchable(tenantId: string, id: string): number {
    return this.#searchable.get(keyOf({ tenantId, id }))?.sequence ?? 0;
  }

  /** The sequences of the searchable documents. */
  searchableVersions(): Record<string, number> {
    return liveVersions(this.#searchable.values());
  }

  /** Loses the changes since the last commit. */
  loseUncommitted(): void {
    this.losses += 1;
    const last = this.#committed.generation === this.#generation ? this.#committed : NOTHING;
    this.#applied = new Map(last.documents);
    this.#searchable = new Map(last.documents);
  }

  get covered(): number {
    return Math.max(this.#emptyAt, this.committed);
  }

  /** Loses everything. */
  loseAll(): void {
    this.losses += 1;
    this.#generation += 1;
    this.#emptyAt = this.#store.lastSequence;
    this.#applied = new Map();
    this.#searchable = new Map();
  }

  /** A connection of one process to the index. */
  connect(name = ''): FakeSearchNode {
    return new FakeSearchNode(this, this.#time, name);
  }

  /** For FakeSearchNode. */
  get generation(): number {
    return this.#generation;
  }

  apply(changes: readonly DocumentChange[]): void {
    for (const change of changes) {
      const current = this.#applied.get(keyOf(change));
      if (current === undefined || current.sequence < change.sequence) {
        this.#applied.set(keyOf(change), change);
      }
    }
  }

  refresh(): void {
    this.#searchable = new Map(this.#applied);
  }

  commit(sequence: number, generation: number): void {
    this.refresh();
    this.#committed = { sequence, generation, documents: new Map(this.#applied) };
    if (generation !== this.#generation) return;
    for (const change of this.#store.changes) {
      if (change.sequence > sequence) return;
      if ((this.#applied.get(keyOf(change))?.sequence ?? 0) >= change.sequence) continue;
      this.wrongCommits.push(`commit ${sequence} without change ${change.sequence}`);
    }
  }
}

/** One process and its connection. */
export class FakeSearchNode {
  readonly calls: FaultyCalls;
  readonly #search: FakeSearch;
  readonly #name: string;
  /** Number of losses that were reported to the feeder of this process. */
  #reportedLosses: number;

  constructor(search: FakeSearch, time: VirtualTime, name: string) {
    this.#search = search;
    this.#name = name;
    this.#reportedLosses = search.losses;
    this.calls = new FaultyCalls(time, { outliveProcess: search.durability === 'cluster' });
  }

  /** Kills the process. */
  kill(): void {
    this.calls.kill();
    if (this.#search.durability === 'process') this.#search.loseUncommitted();
  }

  port(): SearchBackend {
    return {
      apply: (tenantId: string, changes: readonly DocumentChange[]) => {
        const ids = changes.map(({ id }) => id).join(',');
        return this.#feed('apply', `apply ${tenantId} ${ids}`, {
          whole: () => this.#search.apply(changes),
          part: () => this.#search.apply(changes.slice(0, Math.ceil(changes.length / 2))),
        });
      },
      refresh: () => this.#feed('refresh', 'refresh', { whole: () => this.#search.refresh() }),
      commit: (sequence: number) => {
        const { generation } = this.#search;
        return this.#feed('commit', `commit ${sequence}`, {
          whole: () => this.#search.commit(sequence, generation),
        });
      },
      committedSequence: async () => {
        this.#reportLoss();
        return this.calls.run('committedSequence', { whole: () => this.#search.committed });
      },
      coveredSequence: () =>
        this.calls.run('coveredSequence', { whole: () => this.#search.covered }),
      rebuilding: async () => this.#search.isRebuilding,
      clear: () => this.#clear(),
      ping: () => this.calls.ping(),
    } as unknown as SearchBackend;
  }

  /** Clears the index, which is a loss for all other processes. */
  async #clear(): Promise<void> {
    let losses = 0;
    await this.#feed('clear', 'clear', {
      whole: () => {
        this.#search.loseAll();
        losses = this.#search.losses;
      },
    });
    if (losses > 0) this.#reportedLosses = losses;
  }

  /** Runs a call of the feeder; it fails after a loss. */
  async #feed(
    call: CallName,
    entry: string,
    { whole, part }: { whole(): void; part?(): void },
  ): Promise<void> {
    this.#reportLoss();
    const losses = this.#search.losses;
    let lost = false;
    await this.calls.run(call, {
      whole: () => {
        lost = this.#search.losses > losses;
        // A process loses its work together with its data; a cluster still receives the request.
        if (lost && this.#search.durability === 'process') return;
        this.#search.log.push(`${this.#name} ${entry}`.trim());
        whole();
      },
      ...(part && { part }),
    });
    if (lost) this.#reportLoss();
  }

  /** @throws ServiceError `unavailable` once after a loss */
  #reportLoss(): void {
    if (this.#reportedLosses === this.#search.losses) return;
    this.#reportedLosses = this.#search.losses;
    throw new ServiceError('unavailable', 'The index must be fed again from the store');
  }
}

/** The sequences of live documents by tenant and id, sorted. */
export function liveVersions(changes: Iterable<DocumentChange>): Record<string, number> {
  const live = [...changes].filter(({ document }) => document !== null);
  return Object.fromEntries(live.map((change) => [keyOf(change), change.sequence]).sort());
}
