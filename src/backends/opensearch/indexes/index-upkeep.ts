// What the feeder does from time to time: applies settings to existing indexes, closes indexes that
// exceed the limit, and deletes the indexes of former generations and formats.
// Invariant: nothing is deleted that a node may search: a former generation only after a while, an
// earlier format only if no node of that version feeds it.
import type { Log } from '../../../telemetry/log.ts';
import type { OpenSearchClient } from '../requests/client.ts';
import { FORMAT } from '../requests/index-template.ts';
import { generationAfter, type StateStore } from './committed-state.ts';
import type { Connection, FedIndexes } from './fed-indexes.ts';
import { deleteIndexes } from './index-names.ts';
import type { IndexSet } from './index-set.ts';
import type { OpenIndexes } from './open-indexes.ts';
import type { MarkedIndex, RemoteIndexes } from './remote-indexes.ts';

export interface UpkeepOptions {
  readonly client: OpenSearchClient;
  readonly remote: RemoteIndexes;
  readonly state: StateStore;
  readonly open: OpenIndexes;
  readonly log: Log;
  /** The indexes that answer. */
  readonly answering: FedIndexes;
  /**
   * Runs work if no node feeds the indexes of an earlier format, and prevents that one begins
   * meanwhile; omitted: there are no other nodes.
   */
  readonly ifUnfed?: ((format: number, work: () => Promise<void>) => Promise<void>) | undefined;
  /** Milliseconds for which searches of other nodes may still use a former generation. */
  readonly graceMs: number;
  /** Milliseconds between two runs. */
  readonly intervalMs: number;
}

export class IndexUpkeep {
  readonly #options: UpkeepOptions;
  #nextAt = 0;
  /** When former generations may be deleted. */
  #removeAt: number;
  /** Whether the indexes that answer have the settings. */
  #hasSettings = false;

  constructor(options: UpkeepOptions) {
    this.#options = options;
    this.#removeAt = performance.now() + options.graceMs;
  }

  /** A generation was replaced. */
  replaced(): void {
    this.#removeAt = performance.now() + this.#options.graceMs;
    this.#nextAt = Math.min(this.#nextAt, this.#removeAt);
    this.#hasSettings = false;
  }

  /** Does what is due. A fault is logged, and what failed is tried again later. */
  async run(): Promise<void> {
    const now = performance.now();
    if (now < this.#nextAt) return;
    const removesIn = this.#removeAt - now;
    const { intervalMs } = this.#options;
    this.#nextAt = now + (removesIn > 0 ? Math.min(intervalMs, removesIn) : intervalMs);
    try {
      const connection = await this.#options.answering.connected();
      await this.#applySettings(connection);
      const all = await this.#options.remote.list();
      await this.#options.open.update(all);
      await this.#options.open.sweep();
      if (connection.rebuildUntil === null && now >= this.#removeAt) {
        const removed =
          (await this.#removeGenerations(all, connection.indexes)) +
          (await this.#removeFormats(all));
        if (removed > 0) await connection.indexes.takeAliases([]);
      }
    } catch (error) {
      this.#options.log.warn({ err: error }, 'The upkeep of the indexes in OpenSearch failed');
    }
  }

  async #applySettings({ indexes }: Connection): Promise<void> {
    if (this.#hasSettings) return;
    const changed = await indexes.applySettings();
    this.#hasSettings = true;
    if (changed > 0) {
      this.#options.log.info({ indexes: changed }, 'The settings of existing indexes were changed');
    }
  }

  async #removeGenerations(all: readonly MarkedIndex[], answering: IndexSet): Promise<number> {
    const { client, state, log } = this.#options;
    // Also if the feed of the next generation has ended, as it will be continued.
    const next = answering.isLaidOutOtherwise() ? generationAfter(answering.generation) : null;
    const former = all.filter(
      ({ mark: { format, generation } }) =>
        format === FORMAT && generation !== answering.generation && generation !== next,
    );
    if (former.length === 0) return 0;
    const names = former.map(({ name }) => name);
    const generations = new Set(former.map(({ mark }) => mark.generation));
    for (const generation of generations) await state.remove(generation);
    await deleteIndexes(client, names);
    log.info({ indexes: names.length }, 'The indexes of a former generation were deleted');
    return names.length;
  }

  async #removeFormats(all: readonly MarkedIndex[]): Promise<number> {
    const { client, state, log, ifUnfed = (_format, work) => work() } = this.#options;
    let removed = 0;
    const earlier = all.filter(({ mark }) => mark.format < FORMAT);
    for (const format of new Set(earlier.map(({ mark }) => mark.format))) {
      const own = earlier.filter(({ mark }) => mark.format === format);
      await ifUnfed(format, async () => {
        const generations = new Set(own.map(({ mark }) => mark.generation));
        await state.removeFormat(format, [...generations]);
        await deleteIndexes(
          client,
          own.map(({ name }) => name),
        );
        removed += own.length;
        log.info({ format, indexes: own.length }, 'The indexes of an earlier version were deleted');
      });
    }
    return removed;
  }
}
