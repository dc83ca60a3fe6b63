// Rows of a service that has no rows, computed here from the pages of its search: the vendor's own.
// The walk, the columns and the text are those of `POST /search/rows`.
// Invariant: memory is bounded by one page, and the walk by the count of the service.

import { staticMapping } from '../query/mapping/document-types.ts';
import type { Mapping } from '../query/mapping/mapping.ts';
import { NearestNames } from '../query/mapping/nearest-name.ts';
import type { InnerHit } from '../query/plan.ts';
import type { IndexName, SortKey } from '../query/query.ts';
import {
  DEFAULT_LIMITS,
  type PlanContext,
  type SearchParameters,
} from '../query/requests/search-request.ts';
import { warningSteps } from '../query/requests/unknown-names.ts';
import { planRowsSteps, type RowsPlan } from '../query/rows/rows-request.ts';
import { runSteps } from '../query/steps.ts';
import type { CooperativeScheduler } from '../scheduling/cooperative.ts';
import { Deadline } from '../scheduling/deadline.ts';
import type { Hit } from '../service/ports/search-backend.ts';
import { headersOf, type RowFormat } from '../service/searching/rows/row-format.ts';
import { valueAt } from '../service/searching/rows/row-values.ts';
import { type RowsAnswer, rowChunks } from '../service/searching/rows/rows.ts';
import { matchingPositions, pageDocuments } from './page-elements.ts';
import { WalkBounds } from './walk-bounds.ts';

/** The search of the service. */
export interface RemoteSearch {
  /** Sends a search. @returns the documents of the page */
  search(body: object, limit: number): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** The number of documents that match. */
  count(body: object): Promise<number>;
}

export interface RemoteRowsOptions {
  readonly scheduler: CooperativeScheduler;
  /** Epoch milliseconds, the meaning of `now` in the query. */
  readonly now: number;
  readonly signal: AbortSignal;
}

/** The largest page of the vendor's service. */
const PAGE = 250;
/** Formatting a page takes milliseconds; a search has the time limits of the service. */
const TIMEOUT_MS = 600_000;
const encoder = new TextEncoder();
const NOTHING = new Uint8Array(0);

/**
 * The rows of a request.
 * @param body as `POST /search/rows` takes it
 * @throws ServiceError as `POST /search/rows`, and errors of the search
 */
export async function remoteRows(
  body: Readonly<Record<string, unknown>>,
  parameters: SearchParameters,
  format: RowFormat,
  remote: RemoteSearch,
  { scheduler, now, signal }: RemoteRowsOptions,
): Promise<RowsAnswer> {
  const nearestNames = new NearestNames();
  const contextWith = (known?: Mapping): PlanContext => ({
    mapping: (index) => (known?.index === index ? known : unnamedMapping(index)),
    now,
    limits: DEFAULT_LIMITS,
    nearestNames,
  });
  const planWith = (known?: Mapping) =>
    runSteps(
      warningSteps(contextWith(known), (context) => planRowsSteps(body, parameters, context)),
    );
  const { planned: plan, remarks } = planWith();
  const search = searchBodyOf(body);
  const total = plan.count && plan.path === null ? await remote.count(search) : null;
  const elementsOn = (mapping: Mapping): InnerHit | undefined =>
    planWith(mapping).planned.targets.find(({ index }) => index === mapping.index)?.innerHit;
  const pages = remotePages(plan, search, remote, { elementsOn, now });
  const chunks = rowChunks(plan, format, pages, {
    scheduler,
    constants: () => ({}),
    options: () => ({ deadline: new Deadline(TIMEOUT_MS), signal }),
  });
  // Fields of attributes are known to the service alone, which does not warn of unknown ones.
  return { total, warnings: remarks, headers: headersOf(plan.columns), chunks };
}

function unnamedMapping(index: IndexName): Mapping {
  return staticMapping(index, { name: '', pod: '' });
}

/** The body of a search for the same documents. */
function searchBodyOf(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { rows, columns, elements, queryResultFilter, query, limit, offset, ...search } = body;
  if (typeof query !== 'object' || query === null) return search;
  const { innerHit, ...documents } = query as Record<string, unknown>;
  return { ...search, query: documents };
}

interface PageReading {
  /** The elements that are rows, with the fields of a mapping. */
  readonly elementsOn: (mapping: Mapping) => InnerHit | undefined;
  readonly now: number;
}

async function* remotePages(
  plan: RowsPlan,
  search: object,
  remote: RemoteSearch,
  reading: PageReading,
): AsyncGenerator<readonly Hit[]> {
  const sort = plan.sort.map(({ field, order }) => (order === 'desc' ? `-${field}` : field));
  for (const { index, innerHit } of plan.targets) {
    if (plan.path !== null && innerHit === undefined) continue;
    let after: readonly unknown[] | null = null;
    const searched = { ...search, indices: [index] };
    const bounds = new WalkBounds(index, null, () => remote.count(searched));
    for (let passed = 0; ; ) {
      const cursor: object = after === null ? {} : { searchAfter: after };
      const page = await remote.search({ ...searched, sort, ...cursor }, PAGE);
      const last = page.at(-1);
      if (last === undefined) break;
      passed += page.length;
      await bounds.checkCount(passed);
      after = plan.sort.map((key) => cursorValue(last, key));
      yield hitsOf(page, index, plan.path, reading);
      if (page.length < PAGE) break;
    }
  }
}

/** The value of a sort key in the last document of a page, as the next request names it. */
function cursorValue(document: object, { field, order }: SortKey): unknown {
  const value = valueAt(document, field);
  if (!Array.isArray(value)) return value;
  const values = value.flat(Number.POSITIVE_INFINITY).filter((one) => one !== null);
  values.sort((a, b) => (a < b ? -1 : 1));
  return (order === 'desc' ? values.at(-1) : values[0]) ?? null;
}

function hitsOf(
  page: readonly object[],
  index: IndexName,
  path: string | null,
  { elementsOn, now }: PageReading,
): readonly Hit[] {
  const hits = page.map(
    (document): Hit => ({
      index,
      id: String((document as { id?: unknown }).id),
      score: null,
      sort: [],
      root: encoder.encode(JSON.stringify(document)),
      nested: NOTHING,
    }),
  );
  if (path === null) return hits;
  const documents = pageDocuments(page, unnamedMapping(index), new Date(now).toISOString());
  const innerHit = elementsOn(documents.mapping);
  if (innerHit === undefined || innerHit.query.kind === 'matchAll') return hits;
  const positions = matchingPositions(documents, innerHit);
  return hits.map((hit, at) => ({ ...hit, elements: positions[at] ?? [] }));
}
