// Reads the body that creates or replaces a view, and checks it against the mappings of its tenant. A
// name that no field has is refused: `NOT departmnt:HR` would show all documents, and a hidden field
// that is misspelt would stay visible.
import type { ViewRules } from '../../auth/caller.ts';
import { ServiceError } from '../../errors.ts';
import { invalid, Members, oneOf } from '../../query/body.ts';
import { EXISTS, parseQueryString } from '../../query/language/query-string.ts';
import type { Node } from '../../query/language/syntax.ts';
import { INDEX_NAMES } from '../../query/mapping/document-types.ts';
import { isMisspelt, nearestName } from '../../query/mapping/nearest-name.ts';
import { firstExpansion } from '../../query/query-parts.ts';
import { type PlanContext, planCountSteps } from '../../query/requests/search-request.ts';
import { warningSteps } from '../../query/requests/unknown-names.ts';
import type { Steps } from '../../query/steps.ts';
import type { Mappings } from '../ports/search-backend.ts';
import type { View } from '../ports/view-records.ts';

/** What a caller chooses of a view. */
export type ViewDefinition = ViewRules & Pick<View, 'description'>;

/** Most bytes of a view, as JSON. */
export const VIEW_BYTES_MAX = 32 * 1024;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Members of every document that no view hides: clients tell documents apart by them. */
const NEVER_HIDDEN: readonly string[] = ['id', 'type'];

/**
 * @param name the name in the path; null: the body has it
 * @throws ServiceError `body_malformed`, `request_invalid`
 */
export function readView(body: unknown, name: string | null): ViewDefinition {
  const members = new Members(body, '');
  const bytes = Buffer.byteLength(JSON.stringify(body));
  if (bytes > VIEW_BYTES_MAX) throw invalid(`A view has at most ${VIEW_BYTES_MAX} bytes of JSON`);
  const own = members.string('name');
  if (name !== null && own !== undefined && own !== name) {
    throw invalid(`name: must be ${JSON.stringify(name)} as in the path, or left out`);
  }
  const named = name ?? own ?? '';
  if (!NAME.test(named)) {
    throw invalid('name: 1 to 64 letters, digits, dots, hyphens and underscores');
  }
  const known = ['name', 'description', 'indices', 'hide', 'created', 'modified'];
  const unknown = members.names().find((member) => !known.includes(member));
  if (unknown !== undefined) throw invalid(`${unknown}: a view has no such member`);
  return {
    name: named,
    description: members.string('description') ?? '',
    indices: readIndices(members.members('indices')),
    hide: [...new Set(members.strings('hide') ?? [])],
  };
}

function readIndices(members: Members | undefined): ViewRules['indices'] {
  if (members === undefined) {
    throw invalid('indices: name the document types that the view shows, such as {"roles": "*"}');
  }
  const indices: Record<string, string> = {};
  for (const name of members.names()) {
    indices[oneOf('indices', name, INDEX_NAMES)] = members.string(name) ?? '';
  }
  return indices;
}

/**
 * Checks the queries and hidden names of a view.
 * @param names that the view may hide
 * @param context of planning, without access paths: a view cannot depend on who grants what
 * @returns remarks on the queries
 * @throws ServiceError `request_invalid`, `query_malformed`, `limit_exceeded`
 */
export function* checkViewSteps(
  { indices, hide }: ViewRules,
  names: HideableNames,
  context: Omit<PlanContext, 'accessPaths'>,
): Steps<readonly string[]> {
  const remarked = new Set<string>();
  for (const [index, query] of Object.entries(indices)) {
    const body = { indices: [index], query: { query } };
    try {
      const {
        planned: plan,
        warnings,
        remarks,
      } = yield* warningSteps(context, (observed) => planCountSteps(body, observed));
      for (const { query: planned } of plan.targets) {
        const expansion = firstExpansion(planned);
        if (expansion === null) continue;
        throw invalid(
          `a view may not use ${expansion}: hidden documents would decide what they match`,
        );
      }
      if (parseQueryString(query, context.limits).some(({ node }) => hasFieldPattern(node, null))) {
        throw invalid(
          'a view may not use * in the name of a field: attributes of hidden documents would be meant, too',
        );
      }
      const [unknown] = warnings;
      if (unknown !== undefined) throw invalid(unknown.text);
      for (const { text } of remarks) remarked.add(`indices.${index}: ${text}`);
    } catch (error) {
      throw placed(error, `indices.${index}`);
    }
  }
  for (const [at, path] of hide.entries()) {
    const place = `hide[${at}]: ${JSON.stringify(path.slice(0, 100))}`;
    if (NEVER_HIDDEN.includes(path)) throw invalid(`${place} cannot be hidden`);
    if (path === '' || path.includes('*') || path.endsWith('.')) {
      throw invalid(`${place} is not the name of a field`);
    }
    const nearest = names.has(path) ? null : nearestName(path, names.near(path));
    // Documents may get fields that are only like a known one.
    if (nearest !== null && isMisspelt(path, nearest)) {
      throw invalid(`${place} is no field; did you mean ${JSON.stringify(nearest)}?`);
    }
  }
  return [...remarked];
}

/** The names that a view may hide: fields of what it shows, and the objects that they are in. */
export class HideableNames {
  readonly #names = new Set<string>();
  /** Of objects that may get more members, with a dot. */
  readonly #roots: readonly string[];

  constructor(indices: ViewRules['indices'], mappings: Mappings) {
    const shown = Object.values(mappings).filter(({ index }) => Object.hasOwn(indices, index));
    for (const { fields, dynamicRoots } of shown) {
      for (const path of [...fields.keys(), ...dynamicRoots]) {
        this.#names.add(path);
        for (let dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
          this.#names.add(path.slice(0, dot));
        }
      }
    }
    this.#roots = shown.flatMap(({ dynamicRoots }) => dynamicRoots.map((root) => `${root}.`));
  }

  has(path: string): boolean {
    return this.#names.has(path);
  }

  /** The names that another one may be meant for. */
  near(path: string): readonly string[] {
    const root = this.#roots.find((one) => path.startsWith(one));
    const names = [...this.#names];
    return root === undefined ? names : names.filter((name) => name.startsWith(root));
  }
}

/**
 * Whether a part of a query means all fields whose names match a pattern.
 * @param outer the field of the enclosing group, or null
 */
function hasFieldPattern(node: Node, outer: string | null): boolean {
  if (node.kind === 'shorthand') return hasFieldPattern(node.node, null);
  const field = node.kind === 'nested' ? null : (node.field ?? outer);
  if (node.kind === 'leaf') {
    if (field !== EXISTS) return isPattern(field ?? '');
    const { leaf } = node;
    if (leaf.kind === 'prefix' || leaf.kind === 'wildcard') return true;
    return 'text' in leaf && isPattern(leaf.text);
  }
  return node.clauses.some((clause) => hasFieldPattern(clause.node, field));
}

/** A lone * means any field, or words without one. */
function isPattern(name: string): boolean {
  return name !== '*' && name.includes('*');
}

/** The error with the place of the query in its causes. */
function placed(error: unknown, place: string): unknown {
  if (!(error instanceof ServiceError)) return error;
  const { causes = [error.message] } = error.details;
  const { code, message, details } = error;
  return new ServiceError(code, message, {
    ...details,
    causes: causes.map((cause) => `${place}: ${cause}`),
  });
}
