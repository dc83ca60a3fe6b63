// A search index in memory, as the indexers see one, for tests of their recovery. Every call can fail, hang or arrive late
// (faulty-calls.ts), and the index can lose what was not committed, or everything.
// Invariant: it does what identity/ports/search-backend.ts promises and no more: after a loss the next call of the feeder fails,
// once, and from then on only `committedSequence` tells where to go on.
import { ServiceError } from '../../src/errors.ts';
import type { SearchBackend } from '../../src/identity/ports/search-backend.ts';
import type { DocumentChange } from '../../src/identity/ports/store.ts';
import { type FakeStore, keyOf } from './fake-store.ts';
import { type CallName, FaultyCalls } from './faulty-calls.ts';
import type { VirtualTime } from './virtual-time.ts';

/** The last change of each document. */
type Documents = Map<string, DocumentChange>;

interface Committed {
  readonly sequence: number;
  /** Which index it was said of: of another one it says nothing. */
  readonly generation: number;
  readonly documents: Documents;
}

/**
 * `process`: what is applied lives in the process until it is committed, as in the embedded engine.
 * `cluster`: what is applied is durable, and shared by all nodes, as in OpenSearch.
 */
export type Durability = 'process' | 'cluster';

const NOTHING: Committed = { sequence: 0, generation: 0, documents: new Map() };

export class FakeSearch {
  readonly durability: Durability;
  readonly #time: VirtualTime;
  readonly #store: FakeStore;
  #applied: Documents = new Map();
  #searchable: Documents = new Map();
  #committed = NOTHING;
  /** The indexes made so far: a lost one is replaced by an empty one. */
  #generation = 0;
  /** How often something was lost. */
  losses = 0;
  /** Commits of a sequence below which the index lacked a change. */
  readonly wrongCommits: string[] = [];
  /** Calls that took effect, such as `apply a 1,2`, after the name of the node where one was given. */
  readonly log: string[] = [];

  constructor(time: VirtualTime, store: FakeStore, durability: Durability) {
    this.#time = time;
    this.#store = store;
    this.durability = durability;
  }

  get committed(): number {
    return this.#committed.generation === this.#generation ? this.#committed.sequence : 0;
  }

  /** The sequence of the version of the document that can be found; 0: none was made searchable. */
  searchable(tenantId: string, id: string): number {
    return this.#searchable.get(keyOf({ tenantId, id }))?.sequence ?? 0;
  }

  /** The versions of the documents that can be found. */
  found(): Record<string, number> {
    return liveVersions(this.#searchable.values());
  }

  /** Loses what was applied since the last commit. */
  loseUncommitted(): void {
    this.losses += 1;
    const kept = this.#committed.generation === this.#generation ? this.#committed : NOTHING;
    this.#applied = new Map(kept.documents);
    this.#searchable = new Map(kept.documents);
  }

  /** Loses everything. */
  loseAll(): void {
    this.losses += 1;
    this.#generation += 1;
    this.#applied = new Map();
    this.#searchable = new Map();
  }

  /** The index as one process reaches it. */
  connect(name = ''): FakeSearchNode {
    return new FakeSearchNode(this, this.#time, name);
  }

  /** For FakeSearchNode. */
  get generation(): number {
    return this.#generation;
  }

  apply(changes: readonly DocumentChange[]): void {
    for (const change of changes) {
      const there = this.#applied.get(keyOf(change));
      if (there === undefined || there.sequence < change.sequence) {
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
  /** Of the losses, those that the feeder in this process was told of. */
  #told: number;

  constructor(search: FakeSearch, time: VirtualTime, name: string) {
    this.#search = search;
    this.#name = name;
    this.#told = search.losses;
    this.calls = new FaultyCalls(time, { outliveProcess: search.durability === 'cluster' });
  }

  /** The process ends without a word. */
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
        this.#tell();
        return this.calls.run('committedSequence', { whole: () => this.#search.committed });
      },
      ping: () => this.calls.ping(),
    } as unknown as SearchBackend;
  }

  /** A call of the feeder. It fails where something was lost before it arrived. */
  async #feed(
    call: CallName,
    entry: string,
    { whole, part }: { whole(): void; part?(): void },
  ): Promise<void> {
    this.#tell();
    const losses = this.#search.losses;
    let lost = false;
    await this.calls.run(call, {
      whole: () => {
        lost = this.#search.losses > losses;
        // Of a process its data are lost together with the work on them; to a cluster a request arrives all the same.
        if (lost && this.#search.durability === 'process') return;
        this.#search.log.push(`${this.#name} ${entry}`.trim());
        whole();
      },
      ...(part && { part }),
    });
    if (lost) this.#tell();
  }

  /** @throws ServiceError `unavailable` once after a loss */
  #tell(): void {
    if (this.#told === this.#search.losses) return;
    this.#told = this.#search.losses;
    throw new ServiceError('unavailable', 'The index must be fed again from the store');
  }
}

/** The versions of documents by tenant and id, in that order, without the deleted ones. */
export function liveVersions(changes: Iterable<DocumentChange>): Record<string, number> {
  const live = [...changes].filter(({ document }) => document !== null);
  return Object.fromEntries(live.map((change) => [keyOf(change), change.sequence]).sort());
}
