// Plans `POST /search/rows`: a search whose result is a table, one row per document or per element of
// a nested array. The rows are read in pages by sort and id, one index after the other.
// Invariant: the last sort key of every page is the id, so no two documents of an index tie.
import { invalid, type Members, oneOf } from '../body.ts';
import { MATCH_ALL } from '../build.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { nearestName } from '../mapping/nearest-name.ts';
import type { InnerHit, Plan, Target } from '../plan.ts';
import type { SortKey } from '../query.ts';
import { withElements } from '../requests/inner-hit.ts';
import { pageMembers, searchMembers } from '../requests/search-body.ts';
import {
  type PlanContext,
  planSearchSteps,
  type SearchParameters,
} from '../requests/search-request.ts';
import type { Steps } from '../steps.ts';
import { type Column, readColumns, resolveColumns } from './columns.ts';
import { matchingElements } from './matching-elements.ts';

/** A planned table. */
export interface RowsPlan {
  /** Ordered by index name. */
  readonly targets: readonly Target[];
  /** The nested array whose elements are the rows; null: the rows are documents. */
  readonly path: string | null;
  readonly columns: readonly Column[];
  /** True if the request names no column. */
  readonly hasDefaultColumns: boolean;
  /** Ends with the id. */
  readonly sort: readonly SortKey[];
  /** Most rows; null: all. */
  readonly limit: number | null;
  /** Whether the number of all rows is requested. */
  readonly count: boolean;
}

const DOCUMENTS = 'documents';
const BY_ID: SortKey = { field: 'id', order: 'asc', type: 'string' };

/**
 * Plans a request for rows, in steps.
 * @throws ServiceError as a search does, and `request_invalid` for unknown `rows` or columns
 */
export function* planRowsSteps(
  body: unknown,
  sent: SearchParameters,
  context: PlanContext,
): Steps<RowsPlan> {
  const members = searchMembers(body);
  const parameters = { ...pageMembers(members), ...sent };
  const requested = {
    rows: members.string('rows'),
    elements: members.string('elements') ?? 'matching',
    columns: readColumns(members),
  };
  checkForm(members, parameters, requested.elements);
  const { count } = parameters;
  const page = { limit: '0', ...(count !== undefined && { count }) };
  const plan = yield* planSearchSteps(body, page, context);
  yield;
  const mappings = plan.targets.map(({ index }) => context.mapping(index));
  const path = pathOf(requested.rows, plan.targets, mappings);
  const columns = resolveColumns(requested.columns, mappings, path, context);
  return {
    targets: plan.targets.map((target) => targetOf(target, path, requested.elements, context)),
    path,
    columns,
    hasDefaultColumns: requested.columns.length === 0,
    sort: uniqueSort(plan.sort),
    limit: limitOf(parameters.limit),
    count: plan.trackTotal,
  };
}

/**
 * The plan of the first documents of one target, with the positions of their elements unless all
 * elements are rows.
 */
export function rowsPage({ sort }: RowsPlan, target: Target, size: number): Plan {
  const { innerHit, ...documents } = target;
  const hasPositions = innerHit !== undefined && innerHit.query.kind !== 'matchAll';
  return {
    targets: [hasPositions ? target : documents],
    sort,
    from: 0,
    size,
    trackTotal: false,
    source: { includes: [], excludes: [], nested: true },
    ...(hasPositions && { elementPositions: true as const }),
  };
}

/** The plan that counts all rows. */
export function rowsCount({ targets, path }: RowsPlan): Plan {
  const counted = path === null ? targets : targets.filter(({ innerHit }) => innerHit);
  return {
    targets: counted,
    sort: [],
    from: 0,
    size: 0,
    trackTotal: true,
    source: { includes: [], excludes: [], nested: false },
  };
}

function checkForm(members: Members, { offset }: SearchParameters, elements: string): void {
  if (members.get('searchAfter') !== undefined) {
    throw invalid('searchAfter: is not possible with rows, which are not divided into pages');
  }
  if (offset !== undefined && Number(offset) !== 0) {
    throw invalid('offset: is not possible with rows, which are not divided into pages; use limit');
  }
  if (members.string('queryType') === 'TYPEAHEAD') {
    throw invalid('queryType: TYPEAHEAD finds values, which have no rows; use SAILPOINT');
  }
  oneOf('elements', elements, ['matching', 'all']);
}

function limitOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw invalid(
    `limit: ${JSON.stringify(text.slice(0, 40))} is not a whole number of at least 0; without limit the answer has all rows`,
  );
}

/** The sort up to its first unique key, with the id at its end if it has none. */
function uniqueSort(sort: readonly SortKey[]): readonly SortKey[] {
  const at = sort.findIndex(({ field, type }) => field === 'id' || type === 'doc');
  const { order } = sort[at] ?? BY_ID;
  return [...sort.slice(0, at < 0 ? sort.length : at), { ...BY_ID, order }];
}

/** Reads `rows`; with `query.innerHit`, which selects elements too, its type is the default. */
function pathOf(
  rows: string | undefined,
  targets: readonly Target[],
  mappings: readonly Mapping[],
): string | null {
  const inner = targets.find(({ innerHit }) => innerHit !== undefined)?.innerHit?.path;
  const name = (rows ?? inner ?? DOCUMENTS).trim().replace(/^@/, '');
  if (inner !== undefined && name !== inner) {
    throw invalid(
      `rows: must be ${JSON.stringify(inner)}, the type of query.innerHit, or leave out query.innerHit`,
    );
  }
  if (name === DOCUMENTS) return null;
  const paths = [...new Set(mappings.flatMap(({ nestedPaths }) => nestedPaths))].sort();
  if (paths.includes(name)) return name;
  const nearest = nearestName(name, [DOCUMENTS, ...paths]);
  const hint = nearest === null ? '' : `; did you mean ${JSON.stringify(nearest)}?`;
  throw invalid(
    `rows: ${JSON.stringify(name.slice(0, 60))} is not an array of the requested indices, expected ${[DOCUMENTS, ...paths].join(', ')}${hint}`,
  );
}

/** The target with the elements that are its rows. */
function targetOf(
  target: Target,
  path: string | null,
  elements: string,
  context: PlanContext,
): Target {
  if (path === null) return target;
  const { index, query } = target;
  if (target.innerHit !== undefined && elements === 'matching') return target;
  if (!context.mapping(index).nestedPaths.includes(path)) {
    return { index, query: withElements(query, null) };
  }
  const matching = elements === 'all' ? MATCH_ALL : matchingElements(query, path);
  const innerHit: InnerHit = { path, query: matching };
  return { index, query: withElements(query, innerHit), innerHit };
}
