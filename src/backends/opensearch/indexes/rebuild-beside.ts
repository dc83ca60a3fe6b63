// Replaces the indexes by others with another number of shards, while they answer. A second
// generation is fed from the store beside the one that answers; once it holds every change that the
// other one holds, the record of which one answers (`current`) is changed in one step.
// Invariant: a change that was searchable before the replacement is searchable after it.
// Invariant: the feeder of the generation that answers waits during the replacement, so that neither
// generation gets ahead of the other one.
import type { Log } from '../../../telemetry/log.ts';
import type { FedBackend, Indexer } from '../../indexer.ts';
import type { StateStore } from './committed-state.ts';
import { generationAfter } from './committed-state.ts';
import type { Connection, FedIndexes } from './fed-indexes.ts';

/** Feeds a generation from the store. */
export type GenerationFeed = Pick<Indexer, 'start' | 'stop' | 'abandon' | 'waitFor' | 'status'>;

export interface RebuildOptions {
  readonly state: StateStore;
  readonly log: Log;
  /** The indexes that answer. */
  readonly answering: FedIndexes;
  /** Opens a generation to feed beside them. */
  open(generation: string): FedIndexes;
  /** Makes a feed of the generation from the store, not yet started. */
  feed(generation: FedBackend): GenerationFeed;
  /** Called after a replacement, and after one that may have succeeded. */
  onReplaced(): void;
}

/** A generation this many changes behind the one that answers is nearly complete. */
const NEARLY = 10_000;
/**
 * The feeder of the generation that answers waits no longer than this for the last changes, and
 * then feeds for at least as long before it waits again.
 */
const LAST_CHANGES_MS = 5_000;

interface Successor {
  readonly indexes: FedIndexes;
  readonly feed: GenerationFeed;
  readonly name: string;
}

export class RebuildBeside {
  readonly #options: RebuildOptions;
  #successor: Successor | null = null;
  /** The connection whose layout was checked. */
  #checked: Connection | null = null;
  #ending: Promise<void> = Promise.resolve();
  #nextAttemptAt = 0;

  constructor(options: RebuildOptions) {
    this.#options = options;
  }

  /**
   * Starts or ends a rebuild if it is time. The feeder of the generation that answers calls it
   * between two batches.
   */
  async step(): Promise<void> {
    const connection = await this.#options.answering.connected();
    // Indexes that were lost are filled where they are, with the new layout.
    if (connection.rebuildUntil !== null) return this.abandon();
    if (this.#successor !== null) {
      try {
        return await this.#replaceWhenReady(connection, this.#successor);
      } catch (error) {
        // Whether the record was changed is uncertain: it is read again.
        this.#options.log.warn({ err: error }, 'The replacement of the indexes failed');
        this.#options.answering.drop();
        this.#options.onReplaced();
        return this.abandon();
      }
    }
    if (connection === this.#checked) return;
    this.#checked = connection;
    if (connection.indexes.isLaidOutOtherwise()) await this.#begin(connection);
  }

  /** Ends a rebuild, which the next feeder continues. */
  async abandon(): Promise<void> {
    const successor = this.#successor;
    this.#successor = null;
    this.#checked = null;
    if (successor !== null) this.#ending = successor.feed.abandon();
    await this.#ending;
  }

  async #begin({ indexes }: Connection): Promise<void> {
    await this.#ending;
    const name = generationAfter(indexes.generation);
    const generation = this.#options.open(name);
    const feed = this.#options.feed(generation);
    this.#successor = { indexes: generation, feed, name };
    this.#options.log.info(
      { generation: name },
      'The number of shards has changed: new indexes are fed beside the old ones',
    );
    feed.start();
  }

  async #replaceWhenReady(connection: Connection, successor: Successor): Promise<void> {
    const { answering, state, log, onReplaced } = this.#options;
    const { indexes, feed, name } = successor;
    const { applied } = answering;
    const behind = applied - feed.status().applied;
    if (feed.status().error !== null || behind > NEARLY || connection.current === null) return;
    if (performance.now() < this.#nextAttemptAt) return;
    try {
      await feed.waitFor(applied, LAST_CHANGES_MS);
    } catch {
      this.#nextAttemptAt = performance.now() + LAST_CHANGES_MS;
      return;
    }
    await feed.stop();
    const next = await indexes.connected();
    if (next.sequence < applied || next.rebuildUntil !== null) {
      feed.start();
      return;
    }
    await next.indexes.takeAliases(connection.indexes.all());
    const { listing, version } = connection.current;
    await state.writeCurrent({ generation: name, listing: listing + 1 }, version);
    this.#successor = null;
    answering.drop();
    onReplaced();
    log.info({ generation: name }, 'The new indexes have replaced the old ones');
  }
}
