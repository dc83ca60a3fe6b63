// Robustness line 52. A random view of a world is asked random questions of every kind, and so is its
// twin: a tenant that holds only the visible documents, without the hidden fields. Then hidden documents
// and fields are added, changed and deleted, segments merge and the backend restarts: no answer through
// the view may change.
// What is visible is decided by the naive evaluator, not by the engine.

import { AssertionError } from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedBackend } from '../../src/backends/embedded/embedded-backend.ts';
import { ServiceError } from '../../src/errors.ts';
import { MATCH_ALL, MATCH_NONE } from '../../src/query/build.ts';
import { DEFAULT_LIMITS } from '../../src/query/limits.ts';
import type { Mapping } from '../../src/query/mapping/mapping.ts';
import type { Plan } from '../../src/query/plan.ts';
import type { IndexName, Query } from '../../src/query/query.ts';
import { runSteps } from '../../src/query/steps.ts';
import { HiddenFields } from '../../src/query/visibility/hidden-fields.ts';
import { type VisibleParts, visiblePlan } from '../../src/query/visibility/visible-plan.ts';
import type { SearchBackend } from '../../src/service/ports/search-backend.ts';
import type { DocumentChange } from '../../src/service/ports/store.ts';
import { searchOptions } from '../support/search-options.ts';
import { openWithReaders } from '../support/thread-reader.ts';
import { type Answer, assertSame, rowsOfResult } from './answer.ts';
import { feed, patiently, stored } from './backend-judges.ts';
import { type Case, type CaseKind, Cases, queriesIn } from './cases.ts';
import { sent } from './judge.ts';
import { naiveMatches, type PlainDocument } from './naive.ts';
import { Random } from './random.ts';
import { randomDocument } from './random-documents.ts';
import { randomQuery } from './random-plans.ts';
import { mappingIn, randomWorld, TENANT, type World, type WorldIndex } from './world.ts';

export interface ViewRun {
  readonly seed: number;
  /** Questions to compare with the twin. */
  readonly questions: number;
  /** Changes of hidden documents and fields in all worlds. */
  readonly changes: number;
  /** Questions of each view; 40 by default. */
  readonly questionsOfAView?: number;
  /** The backend refuses some questions through views; these are not compared. */
  readonly refuses?: true;
  /** Opens the backend of a world: of the tenant with the view, or of its twin. */
  open?(world: World, name: string, lastSequence: () => number): Promise<OpenedBackend>;
}

export interface OpenedBackend {
  readonly backend: SearchBackend;
  close(): Promise<void>;
  /** Closes and opens it again over the same indexes, if they are files. */
  reopen?(): Promise<OpenedBackend>;
}

export interface ViewProgress {
  questions: number;
  /** Questions whose answer is not empty. */
  telling: number;
  /** Questions that were refused by both, such as for a limit. */
  refused: number;
  views: number;
  changes: number;
  /** Answers that were compared with those before changes. */
  again: number;
  /** Of these, answers whose sums differ in their last digits, as documents were added up in another order. */
  rounded: number;
  /** Backends that were closed and opened again between changes. */
  restarts: number;
  readonly kinds: Map<CaseKind, number>;
  readonly faults: string[];
}

const QUESTIONS_OF_A_VIEW = 40;
const CHANGES_OF_A_BATCH = 25;
const ROUNDS = 3;
const FAULTS_MAX = 3;
const NO_FIELDS = new HiddenFields([]);

/** Runs until enough questions were compared, or after FAULTS_MAX faults. */
export async function runViews(run: ViewRun): Promise<ViewProgress> {
  const progress: ViewProgress = {
    ...{
      questions: 0,
      telling: 0,
      refused: 0,
      views: 0,
      changes: 0,
      again: 0,
      rounded: 0,
      restarts: 0,
    },
    ...{ kinds: new Map(), faults: [] },
  };
  for (let at = 0; progress.faults.length < FAULTS_MAX; at++) {
    if (progress.questions >= run.questions && progress.changes >= run.changes) break;
    const world = randomWorld(run.seed + at);
    if (world.size === 'large') continue;
    const viewed = new ViewedWorld(world, run, progress);
    try {
      await viewed.run();
    } finally {
      await viewed.close();
    }
  }
  return progress;
}

/** A question with its first answer through the view. */
interface Question {
  readonly number: number;
  readonly one: Case;
  readonly text: string;
}

class ViewedWorld {
  readonly #world: World;
  readonly #run: ViewRun;
  readonly #progress: ViewProgress;
  readonly #random: Random;
  readonly #hidden: HiddenFields;
  readonly #shown: ReadonlyMap<IndexName, Query>;
  /** The current documents of the tenant, by index and id. */
  readonly #documents: ReadonlyMap<IndexName, Map<string, PlainDocument>>;
  #whole: OpenedBackend | null = null;
  #twin: OpenedBackend | null = null;
  #sequence = 0;
  #added = 0;

  constructor(world: World, run: ViewRun, progress: ViewProgress) {
    this.#world = world;
    this.#run = run;
    this.#progress = progress;
    this.#random = new Random(world.seed ^ 0x71e3);
    this.#hidden = randomHidden(this.#random, world);
    this.#shown = new Map(
      [...world.indexes].map(([name, index]) => [name, randomVisible(this.#random, index)]),
    );
    this.#documents = new Map(
      [...world.indexes].map(([name, { documents }]) => [
        name,
        new Map(documents.map((document) => [document.id, document])),
      ]),
    );
  }

  async run(): Promise<void> {
    const { open = openEmbedded } = this.#run;
    const twinWorld = this.#twinWorld();
    this.#whole = await open(this.#world, 'whole', () => this.#sequence);
    this.#twin = await open(twinWorld, 'twin', () => 0);
    this.#sequence = await feed(this.#whole.backend, this.#world);
    await feed(this.#twin.backend, twinWorld);
    this.#progress.views += 1;
    const questions: Question[] = [];
    const cases = new Cases(this.#world);
    const { questionsOfAView = QUESTIONS_OF_A_VIEW } = this.#run;
    for (let number = 0; number < questionsOfAView; number++) {
      const one = cases.at(number);
      const first = await this.#compare(number, one);
      if (first === null) return;
      questions.push({ number, one, text: JSON.stringify(first) });
    }
    await this.#change(questions);
  }

  async close(): Promise<void> {
    await this.#whole?.close();
    await this.#twin?.close();
  }

  /** Compares the answer through the view with that of the twin. @returns null if they differ */
  async #compare(number: number, one: Case): Promise<Answer | null> {
    const { kinds } = this.#progress;
    const actual = await this.#throughView(one);
    const mayRefuse = this.#run.refuses === true || this.#hidden.names.length > 0;
    if (mayRefuse && 'error' in actual && actual.error === 'request_invalid') {
      this.#progress.refused += 1;
      return actual;
    }
    const twin = await answerOf(this.#twin!.backend, this.#world, one, this.#twinParts(), ofAll);
    // What asks only for hidden fields costs nothing through the view; the twin may find it too complex.
    if (this.#hidden.names.length > 0 && 'error' in twin && twin.error === 'limit_exceeded') {
      this.#progress.refused += 1;
      return actual;
    }
    const expected = ranksNothing(twin) && isUnranked(actual) ? unranked(twin) : twin;
    try {
      assertSame(actual, { all: expected.rows ?? [], ...expected }, one.plan, 'once');
    } catch (error) {
      this.#fault(number, one, 'unlike the twin', error, [actual, expected]);
      return null;
    }
    this.#progress.questions += 1;
    kinds.set(one.kind, (kinds.get(one.kind) ?? 0) + 1);
    if ('error' in actual) this.#progress.refused += 1;
    if (tells(actual)) this.#progress.telling += 1;
    return actual;
  }

  /** Changes what is hidden, and asks again. */
  async #change(questions: readonly Question[]): Promise<void> {
    const { questions: all, changes: changesOfAll } = this.#run;
    // The share of this view, at least three times, so that a later one finds what earlier ones left.
    const ofView = (changesOfAll * questions.length) / Math.max(1, all);
    const batch = Math.max(CHANGES_OF_A_BATCH, Math.ceil((2 * ofView) / ROUNDS));
    for (let round = 0; round < ROUNDS; round++) {
      if (this.#progress.changes >= changesOfAll) return;
      const changes = Array.from({ length: batch }, () => this.#hiddenChange());
      const numbered = changes.flatMap((change): DocumentChange[] => {
        if (change === null) return [];
        this.#sequence += 1;
        return [{ ...change, sequence: this.#sequence }];
      });
      this.#progress.changes += numbered.length;
      const { backend } = this.#whole!;
      await backend.apply(TENANT, numbered);
      await backend.refresh();
      if (this.#random.chance(0.5)) {
        await backend.commit(this.#sequence);
        const reopened = await this.#whole!.reopen?.();
        if (reopened !== undefined) {
          this.#whole = reopened;
          this.#progress.restarts += 1;
        }
      }
      for (const { number, one, text } of questions) {
        const again = await this.#throughView(one);
        this.#progress.again += 1;
        if (JSON.stringify(again) === text) continue;
        if (differsInSums(again, text, one.plan)) {
          this.#progress.rounded += 1;
          continue;
        }
        const error = new Error('The answer has changed');
        this.#fault(number, one, 'after changes of what is hidden', error, [again, text]);
        return;
      }
    }
  }

  /** A change that the view does not show; null if a random one would be visible. */
  #hiddenChange(): Omit<DocumentChange, 'sequence'> | null {
    const random = this.#random;
    const index = random.pick([...this.#world.indexes.keys()]);
    const { mapping } = this.#world.indexes.get(index)!;
    const documents = this.#documents.get(index)!;
    const change = (document: PlainDocument | null, id: string) => {
      if (document === null) documents.delete(id);
      else documents.set(id, document);
      return changeOf(index, mapping, id, document);
    };
    if (random.chance(0.4)) {
      this.#added += 1;
      const document = randomDocument(random, mapping, `h${this.#added}`);
      return this.#shows(index, document) ? null : change(document, document.id);
    }
    if (documents.size === 0) return null;
    const before = random.pick([...documents.values()]);
    if (!this.#shows(index, before)) {
      if (random.chance(0.3)) return change(null, before.id);
      const after = randomDocument(random, mapping, before.id);
      return this.#shows(index, after) ? null : change(after, before.id);
    }
    const after = withHiddenOf(before, randomDocument(random, mapping, before.id), this.#hidden);
    return this.#shows(index, after) ? change(after, before.id) : null;
  }

  #shows(index: IndexName, document: PlainDocument): boolean {
    return naiveMatches(this.#shown.get(index)!, this.#world.indexes.get(index)!.mapping, document);
  }

  #throughView(one: Case): Promise<Answer> {
    return answerOf(this.#whole!.backend, this.#world, one, {
      hidden: this.#hidden,
      limits: DEFAULT_LIMITS,
      part: (index) => ({
        documents: this.#shown.get(index) ?? MATCH_ALL,
        mapping: this.#hidden.visibleMapping(this.#world.indexes.get(index)!.mapping),
      }),
    });
  }

  #twinParts(): VisibleParts {
    return {
      hidden: NO_FIELDS,
      limits: DEFAULT_LIMITS,
      part: (index) => ({
        documents: MATCH_ALL,
        mapping: this.#world.indexes.get(index)!.mapping,
      }),
    };
  }

  /** The world that has only what the view shows. */
  #twinWorld(): World {
    const indexes = [...this.#world.indexes].map(([name, index]): [IndexName, WorldIndex] => {
      const documents = index.documents
        .filter((document) => this.#shows(name, document))
        .map((document) => this.#hidden.visibleMembers(document, '') as PlainDocument);
      const steps = [{ kind: 'flush', puts: documents, deletes: [] } as const];
      return [name, { mapping: index.mapping, documents, steps: steps as never }];
    });
    return { ...this.#world, indexes: new Map(indexes) };
  }

  #fault(number: number, one: Case, when: string, error: unknown, answers: unknown): void {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#progress.faults.push(
      [
        `CARDEA_SEED=${this.#world.seed} (${this.#world.size}), case ${number} (${one.kind}, asks ${one.asks}), ${when}`,
        `shown: ${JSON.stringify([...this.#shown])}`,
        `hidden: ${this.#hidden.names.join(', ')}`,
        `plan: ${JSON.stringify(one.plan).slice(0, 3_000)}`,
        `answers: ${JSON.stringify(answers).slice(0, 1_500)}`,
        text.slice(0, 2_000),
      ].join('\n'),
    );
  }
}

/**
 * Whether an answer differs from an earlier one in the rounding of sums alone: it depends on how
 * documents are spread over segments, for every reader.
 */
function differsInSums(again: Answer, text: string, plan: Plan): boolean {
  const { aggregations, ...others } = again;
  const { aggregations: before, ...same } = JSON.parse(text) as Answer;
  if (JSON.stringify(others) !== JSON.stringify(same)) return false;
  try {
    assertSame({ aggregations }, { aggregations: before }, plan, 'once');
    return true;
  } catch (error) {
    if (error instanceof AssertionError) return false;
    throw error;
  }
}

/** The plan over all documents, as of a tenant without views: its words score like those of views. */
function ofAll(plan: Plan): Plan {
  return { ...plan, targets: plan.targets.map(({ visible: _, ...target }) => target) };
}

/** An answer, or the code of the error. */
async function answerOf(
  backend: SearchBackend,
  world: World,
  one: Case,
  parts: VisibleParts,
  change: (plan: Plan) => Plan = (plan) => plan,
): Promise<Answer> {
  const options = searchOptions((index) => mappingIn(world, index));
  try {
    const plan = change(sent(runSteps(visiblePlan(sent(one.plan), parts))));
    if (one.asks === 'count') {
      return { count: await patiently(() => backend.count(TENANT, plan, options)) };
    }
    if (one.asks === 'typeahead') {
      return { values: await patiently(() => backend.typeahead(TENANT, plan, options)) };
    }
    const result = await patiently(() => backend.search(TENANT, plan, options));
    const { total, aggregations } = result;
    const rows = rowsOfResult(result).map((row, at) => {
      const { root, nested, elementOf } = result.hits[at]!;
      const own = parts.hidden.visibleMembers(parsed(root), elementOf ?? '');
      const below = parts.hidden.visibleMembers(parsed(nested, 'members'), '');
      return { ...row, source: JSON.stringify([own, below]) };
    });
    return {
      ...{ rows, total },
      ...(aggregations && { aggregations: JSON.parse(JSON.stringify(aggregations)) }),
    };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { error: error.code } as Answer;
  }
}

function parsed(bytes: Uint8Array, form: 'object' | 'members' = 'object'): Record<string, unknown> {
  const text = Buffer.from(bytes).toString();
  return JSON.parse(form === 'object' ? text : `{${text}}`);
}

/**
 * Whether a page has the same score in all rows. Where a view hides the only field that would rank
 * them, the plan has no clause that scores, and the rows have none.
 */
function ranksNothing({ rows = [] }: Answer): boolean {
  return rows.every(({ score }) => score === rows[0]?.score);
}

function isUnranked({ rows = [] }: Answer): boolean {
  return rows.every(({ score }) => score === null);
}

function unranked(answer: Answer): Answer {
  return {
    ...answer,
    ...(answer.rows && { rows: answer.rows.map((row) => ({ ...row, score: null })) }),
  };
}

function tells({ rows = [], count = 0, values, aggregations }: Answer): boolean {
  return rows.length + count + (values?.total ?? 0) > 0 || aggregations !== undefined;
}

/** Up to three names: of fields, of objects that they are in, of nested arrays, of unmapped members. */
function randomHidden(random: Random, world: World): HiddenFields {
  const paths = [...world.indexes.values()].flatMap(({ mapping }) =>
    [...mapping.fields.keys()].filter((path) => path !== 'id'),
  );
  const name = () => {
    if (random.chance(0.1)) return 'surprise';
    const path = random.pick(paths);
    const dot = path.indexOf('.');
    return dot > 0 && random.chance(0.25) ? path.slice(0, dot) : path;
  };
  return new HiddenFields(random.chance(0.3) ? [] : random.list(1, 3, name));
}

/** A query that some documents match and others do not, where one is found soon. */
function randomVisible(random: Random, { mapping, documents }: WorldIndex): Query {
  if (random.chance(0.1)) return random.pick([MATCH_ALL, MATCH_NONE]);
  let query: Query = MATCH_ALL;
  for (let attempt = 0; attempt < 20; attempt++) {
    query = randomQuery(random, mapping, null, 2);
    if ([...queriesIn(query, null)].some(({ query: part }) => isUnstable(part))) continue;
    const matching = documents.filter((document) => naiveMatches(query, mapping, document));
    if (matching.length > documents.length / 4 && matching.length < documents.length) return query;
  }
  return random.pick([MATCH_ALL, MATCH_NONE]);
}

/** What such a query matches depends on other documents; views may not have it. */
function isUnstable(query: Query): boolean {
  if (query.kind === 'fuzzy') return true;
  return query.kind === 'phrase' && query.prefixExpansions !== undefined;
}

/** The visible members of a document with the hidden ones of another. */
function withHiddenOf(
  document: PlainDocument,
  other: PlainDocument,
  hidden: HiddenFields,
): PlainDocument {
  const merged: Record<string, unknown> = structuredClone(hidden.visibleMembers(document, ''));
  for (const name of hidden.names) {
    const parts = name.split('.');
    const value = parts.reduce<unknown>(
      (at, part) => (isObject(at) ? at[part] : undefined),
      other as unknown,
    );
    if (value === undefined) continue;
    let at = merged;
    for (const part of parts.slice(0, -1)) {
      at[part] ??= {};
      if (!isObject(at[part])) return document;
      at = at[part];
    }
    at[parts.at(-1)!] = value;
  }
  return merged as PlainDocument;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function changeOf(
  index: IndexName,
  { nestedPaths }: Mapping,
  id: string,
  document: PlainDocument | null,
): Omit<DocumentChange, 'sequence'> {
  if (document === null) return { tenantId: TENANT, index, id, document: null };
  const { id: _, ...members } = document;
  return { tenantId: TENANT, index, id, document: stored(index, id, members, nestedPaths) };
}

/** The embedded backend, every second time searched in another thread. */
async function openEmbedded(
  world: World,
  _name: string,
  lastSequence: () => number,
): Promise<OpenedBackend> {
  const path = mkdtempSync(join(tmpdir(), 'cardea-view-twin-'));
  const open = async (): Promise<OpenedBackend> => {
    const openBackend = world.seed % 2 === 0 ? openEmbeddedBackend : openWithReaders;
    const backend = await openBackend({
      path,
      mapping: (_tenantId, index) => world.indexes.get(index)!.mapping,
      lastSequence: async () => lastSequence(),
      ...{ restMs: 20, settleMs: 5 },
    });
    return {
      backend,
      async reopen() {
        await backend.close();
        return open();
      },
      async close() {
        await backend.close();
        rmSync(path, { recursive: true, force: true });
      },
    };
  };
  return open();
}
