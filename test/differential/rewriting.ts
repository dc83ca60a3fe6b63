// Robustness line 51: rewrites of documents that a query cannot see never change its result. Runs
// fixed queries repeatedly on an embedded backend while documents are rewritten
// (invisible-changes.ts), refreshed, committed and merged, and the backend is reopened from its
// files.
// Invariant: no result is compared while a change is visible.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedBackend } from '../../src/backends/embedded/embedded-backend.ts';
import type { EmbeddedOptions } from '../../src/backends/embedded/embedded-options.ts';
import { scores } from '../../src/engine/scoring/scoring.ts';
import type { Plan } from '../../src/query/plan.ts';
import type { SearchBackend, SearchResult } from '../../src/service/ports/search-backend.ts';
import type { DocumentChange } from '../../src/service/ports/store.ts';
import { searchOptions } from '../support/search-options.ts';
import { openWithReaders } from '../support/thread-reader.ts';
import { type Answer, type AnsweredRow, assertSame, rowsOfResult } from './answer.ts';
import { feed, patiently } from './backend-judges.ts';
import { type Case, type CaseKind, Cases } from './cases.ts';
import { judgesOf } from './exclusions.ts';
import {
  HIDDEN_MEMBER,
  REWRITING_KINDS,
  type Rewriting,
  type RewritingKind,
  randomRewriting,
  withoutHidden,
} from './invisible-changes.ts';
import { sent } from './judge.ts';
import { byCodePoints } from './naive.ts';
import { Random } from './random.ts';
import { mappingIn, randomWorld, TENANT, type World } from './world.ts';

export interface RewritingOptions {
  readonly seed: number;
  readonly askings: number;
  /** Number of queries of each world. */
  readonly questions?: number;
}

export interface RewritingProgress {
  /** Number of results that were compared with the first one. */
  askings: number;
  /** Number of queries with a non-empty result. */
  telling: number;
  questions: number;
  readonly byRewriting: Map<RewritingKind, number>;
  /** Number of different results while a change was visible. */
  seen: number;
  commits: number;
  reopenings: number;
  merges: number;
  /** Number of counts and aggregations from the result cache. */
  resultHits: number;
  readonly faults: string[];
}

const QUESTIONS = 30;
/** Maximum queries of one kind, so that rare kinds are included. */
const QUESTIONS_OF_A_KIND = 4;
/** Candidates for the queries of a world. */
const CANDIDATES_MAX = 1_000;
const ASKINGS_OF_A_WORLD = 800;
const FAULTS_MAX = 3;
/** Concurrent queries during a rewrite, and queries that run twice after it. */
const BESIDE = 20;
const TWICE = 20;
const ALL_ROWS = 10_000;
/** Number of last events in a report. */
const EVENTS_SHOWN = 8;

/** Runs until enough results were compared, or after FAULTS_MAX faults, one per world. */
export async function runRewriting({
  seed,
  askings,
  questions = QUESTIONS,
}: RewritingOptions): Promise<RewritingProgress> {
  const progress: RewritingProgress = {
    ...{ askings: 0, telling: 0, questions: 0, byRewriting: new Map() },
    ...{ seen: 0, commits: 0, reopenings: 0, merges: 0, resultHits: 0, faults: [] },
  };
  for (let at = 0; progress.askings < askings && progress.faults.length < FAULTS_MAX; at++) {
    const world = randomWorld(seed + at);
    if (world.size === 'large') continue;
    const until = Math.min(askings, progress.askings + ASKINGS_OF_A_WORLD);
    const rewritten = await RewrittenWorld.open(world, questions, progress);
    try {
      while (progress.askings < until && !rewritten.failed) await rewritten.round();
    } finally {
      await rewritten.close();
    }
  }
  return progress;
}

/** A query with its first result. */
interface Question {
  readonly number: number;
  readonly one: Case;
  readonly first: Answer;
  readonly firstText: string;
}

class RewrittenWorld {
  readonly #world: World;
  readonly #progress: RewritingProgress;
  readonly #random: Random;
  readonly #path = mkdtempSync(join(tmpdir(), 'cardea-rewriting-'));
  #backend!: SearchBackend;
  #sequence = 0;
  /** Changes since the last commit, which a reopened backend must be fed again. */
  #uncommitted: DocumentChange[] = [];
  #questions: Question[] = [];
  #nextQuestion = 0;
  /** The events so far, for reports. */
  readonly #events: string[] = [];
  failed = false;

  private constructor(world: World, progress: RewritingProgress) {
    this.#world = world;
    this.#progress = progress;
    this.#random = new Random(world.seed ^ 0x51);
  }

  static async open(
    world: World,
    questions: number,
    progress: RewritingProgress,
  ): Promise<RewrittenWorld> {
    const opened = new RewrittenWorld(world, progress);
    await opened.#open();
    try {
      opened.#sequence = await feed(opened.#backend, world);
      await opened.#backend.commit(opened.#sequence);
      await opened.#choose(questions);
    } catch (error) {
      await opened.close();
      throw error;
    }
    return opened;
  }

  /** Records the first results of the queries, two thirds of which are non-empty. */
  async #choose(count: number): Promise<void> {
    const byKind = new Map<CaseKind, number>();
    for (const [number, one] of candidates(this.#world)) {
      const sameKind = byKind.get(one.kind) ?? 0;
      if (sameKind >= QUESTIONS_OF_A_KIND) continue;
      const first = await this.#answer(one);
      const empty = this.#questions.filter((question) => !tells(question.first)).length;
      if (!tells(first) && empty >= count / 3) continue;
      byKind.set(one.kind, sameKind + 1);
      this.#questions.push({ number, one, first, firstText: JSON.stringify(first) });
      this.#progress.questions += 1;
      if (tells(first)) this.#progress.telling += 1;
      if (this.#questions.length === count) return;
    }
  }

  /** One rewrite, with queries during and after it. */
  async round(): Promise<void> {
    const random = this.#random;
    const rewriting = randomRewriting(random, this.#world, random.pick(REWRITING_KINDS));
    const commits = random.chance(0.25);
    const after = this.#next(TWICE);
    if (rewriting.isVisible) await this.#rewrite(rewriting, commits, after);
    else {
      const beside = this.#next(BESIDE).map((question) => this.#ask(question, 'beside'));
      await Promise.all([this.#rewrite(rewriting, commits), ...beside]);
    }
    if (random.chance(0.1)) await this.#reopen();
    for (const question of after) {
      await this.#ask(question, 'first of two');
      await this.#ask(question, 'second of two');
    }
  }

  async close(): Promise<void> {
    this.#countFigures();
    await this.#backend.close();
    rmSync(this.#path, { recursive: true, force: true });
  }

  /**
   * @param between queries after each batch but the last, whose cached results must become invalid
   */
  async #rewrite(
    { kind, batches }: Rewriting,
    commits: boolean,
    between: readonly Question[] = [],
  ): Promise<void> {
    const { byRewriting } = this.#progress;
    byRewriting.set(kind, (byRewriting.get(kind) ?? 0) + 1);
    this.#events.push(`${kind}: ${[...new Set(batches.flat().map(({ id }) => id.slice(0, 40)))]}`);
    for (const batch of batches) {
      const changes = batch.map((change): DocumentChange => {
        this.#sequence += 1;
        return { ...change, sequence: this.#sequence };
      });
      this.#uncommitted.push(...changes);
      await this.#apply(changes);
      await this.#backend.refresh();
      if (batch === batches.at(-1)) continue;
      // Fills the caches with these documents first.
      if (this.#random.chance(0.4)) await this.#reopen();
      for (const { one, firstText } of between) {
        if (JSON.stringify(await this.#answer(one)) !== firstText) this.#progress.seen += 1;
      }
    }
    // Replays the last changes, which must have no effect.
    if (this.#random.chance(0.2)) await this.#apply(this.#uncommitted.slice(-50));
    if (!commits) return;
    await this.#backend.commit(this.#sequence);
    this.#uncommitted = [];
    this.#progress.commits += 1;
    this.#events.push('commit');
  }

  async #apply(changes: readonly DocumentChange[]): Promise<void> {
    for (const tenantId of new Set(changes.map((change) => change.tenantId))) {
      await this.#backend.apply(
        tenantId,
        changes.filter((change) => change.tenantId === tenantId),
      );
    }
  }

  /** Restarts the backend from its files, and feeds uncommitted changes again. */
  async #reopen(): Promise<void> {
    this.#countFigures();
    await this.#backend.close();
    await this.#open();
    const committed = await this.#backend.committedSequence();
    const missing = this.#uncommitted.filter(({ sequence }) => sequence > committed);
    await this.#apply(missing);
    await this.#backend.refresh();
    this.#progress.reopenings += 1;
  }

  async #open(): Promise<void> {
    const random = this.#random;
    const options: Partial<EmbeddedOptions> = {
      ...random.pick([{ restMs: 2, settleMs: 5 }, { restMs: 50 }, {}]),
      ...(random.chance(0.5) && { cacheSizes: { positions: 64 * 1024, documents: 160 * 1024 } }),
    };
    this.#events.push(`opened with ${JSON.stringify(options)}`);
    const all: EmbeddedOptions = {
      ...options,
      path: this.#path,
      mapping: (_tenantId, index) => mappingIn(this.#world, index),
      lastSequence: async () => this.#sequence,
    };
    const readers = random.pick([0, 1, 3]);
    this.#backend =
      readers === 0 ? await openEmbeddedBackend(all) : await openWithReaders(all, readers);
  }

  #countFigures(): void {
    const { merges, caches } = this.#backend.figures!();
    this.#progress.merges += merges;
    const results = caches.find(({ cache }) => cache === 'results');
    this.#progress.resultHits += results?.hits ?? 0;
  }

  /** The next queries in turn. */
  #next(count: number): Question[] {
    return Array.from({ length: count }, () => {
      const question = this.#questions[this.#nextQuestion % this.#questions.length]!;
      this.#nextQuestion += 1;
      return question;
    });
  }

  async #ask(question: Question, when: string): Promise<void> {
    if (this.failed) return;
    const { one, first } = question;
    try {
      const answer = await this.#answer(one);
      this.#progress.askings += 1;
      // Comparing texts is faster than comparing rows.
      if (JSON.stringify(answer) === question.firstText) return;
      assertSame(answer, first, one.plan, this.#world.change);
    } catch (error) {
      if (this.failed) return;
      this.failed = true;
      this.#progress.faults.push(this.#faultText(question, when, error));
    }
  }

  /** The result without the parts that may differ: the unmapped member, scores and their order. */
  async #answer({ asks, plan }: Case): Promise<Answer> {
    // Caches look up a plan by identity, and a copy by its text.
    const own = this.#random.chance(0.5) ? plan : sent(plan);
    const options = searchOptions((index) => mappingIn(this.#world, index));
    if (asks === 'count') {
      return { count: await patiently(() => this.#backend.count(TENANT, own, options)) };
    }
    if (asks === 'typeahead') {
      return { values: await patiently(() => this.#backend.typeahead(TENANT, own, options)) };
    }
    const result = await patiently(() => this.#backend.search(TENANT, own, options));
    const { total, aggregations } = result;
    const plain = aggregations && withoutHidden(JSON.parse(JSON.stringify(aggregations)));
    const rows = isScored(plan) ? unscored(rowsOf(result)) : rowsOf(result);
    return { rows, total, ...(aggregations && { aggregations: plain }) };
  }

  #faultText({ number, one, first }: Question, when: string, error: unknown): string {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return [
      `CARDEA_SEED=${this.#world.seed} (${this.#world.size}), case ${number} (${one.kind}, asks ${one.asks}), ${when}`,
      `plan: ${JSON.stringify(one.plan)}`,
      `last events:\n  ${this.#events.slice(-EVENTS_SHOWN).join('\n  ')}`,
      `first answer: ${JSON.stringify(first).slice(0, 1_000)}`,
      text.slice(0, 2_500),
    ].join('\n');
  }
}

/** Random queries of every kind whose results depend only on the documents, with their numbers. */
function* candidates(world: World): Generator<readonly [number: number, one: Case]> {
  const cases = new Cases(world);
  // The results that merges of replaced documents must not change are those to compare here.
  const replaced: World = { ...world, change: 'often' };
  for (let number = 0; number < CANDIDATES_MAX; number++) {
    const one = cases.at(number);
    if (judgesOf(one, replaced, ['files']).excluded.length > 0) continue;
    yield [number, isScored(one.plan) ? { ...one, plan: allRows(one.plan) } : one];
  }
}

/** True if rows are sorted by scores, which include deleted documents. */
function isScored({ sort, targets }: Plan): boolean {
  return sort.length === 0 && targets.some(({ query }) => scores(query));
}

/** Requests all rows, since a page by score may change with the scores. */
function allRows(plan: Plan): Plan {
  return plan.size === 0 ? plan : { ...plan, from: 0, size: ALL_ROWS };
}

function rowsOf(result: SearchResult): AnsweredRow[] {
  return rowsOfResult(result).map((row, at) => {
    const { root, nested } = result.hits[at]!;
    const members = `{${Buffer.from(nested).toString()}}`;
    const texts = [Buffer.from(root).toString(), members];
    const plain = texts.map((text) =>
      text.includes(HIDDEN_MEMBER) ? JSON.stringify(withoutHidden(JSON.parse(text))) : text,
    );
    return { ...row, source: plain.join(' ') };
  });
}

/** Sorts rows independent of scores, and removes scores. */
function unscored(rows: readonly AnsweredRow[]): AnsweredRow[] {
  const keyOf = ({ index, id, source }: AnsweredRow) => `${index} ${id} ${source}`;
  return rows
    .map((row) => ({ ...row, score: null, sort: [] }))
    .sort((a, b) => byCodePoints(keyOf(a), keyOf(b)));
}

function tells({ rows = [], count = 0, values, aggregations }: Answer): boolean {
  return rows.length + count + (values?.total ?? 0) > 0 || aggregations !== undefined;
}
