// A view as its form has it: for each type of documents none, all, or those that match a query. Pure
// functions.
import type { IndexName } from '../../../src/query/query.ts';
import type { ViewDefinition } from '../../api/views/view.ts';
import { KINDS } from '../../model/kinds.ts';

/** Which documents of a type a view shows. */
export type Shows = 'nothing' | 'everything' | 'query';

export interface TypeChoice {
  readonly shows: Shows;
  /** It is kept while something else is chosen. */
  readonly query: string;
}

export interface ViewDraft {
  readonly name: string;
  readonly description: string;
  readonly types: Readonly<Record<IndexName, TypeChoice>>;
  readonly hide: readonly string[];
}

/** @param view null: a new one, which shows nothing yet */
export function draftOf(view: ViewDefinition | null): ViewDraft {
  const types = Object.fromEntries(
    KINDS.map(({ index }) => [index, choiceOf(view?.indices[index])]),
  ) as Record<IndexName, TypeChoice>;
  const { name = '', description = '', hide = [] } = view ?? {};
  return { name, description, types, hide };
}

function choiceOf(query: string | undefined): TypeChoice {
  if (query === undefined) return { shows: 'nothing', query: '' };
  return query.trim() === '*' ? { shows: 'everything', query: '' } : { shows: 'query', query };
}

/** What the form describes. */
export function definitionOf({ name, description, types, hide }: ViewDraft): ViewDefinition {
  const shown = KINDS.flatMap(({ index }) => {
    const query = queryOf(types[index]);
    return query === null ? [] : [[index, query] as const];
  });
  return {
    name: name.trim(),
    description: description.trim(),
    indices: Object.fromEntries(shown),
    hide,
  };
}

/** The query of the visible documents of a type; null: none are visible. */
export function queryOf({ shows, query }: TypeChoice): string | null {
  if (shows === 'nothing') return null;
  return shows === 'everything' ? '*' : query.trim();
}

/** True if saving would change the view. @param view null: a new one */
export function isChanged(draft: ViewDraft, view: ViewDefinition | null): boolean {
  const textOf = (one: ViewDraft) => JSON.stringify(definitionOf(one));
  return textOf(draft) !== textOf(draftOf(view));
}

/** The hidden fields after one more; what is below it need not be named any more. */
export function withHidden(hide: readonly string[], path: string): readonly string[] {
  if (hide.some((one) => isWithin(path, one))) return hide;
  return [...hide.filter((one) => !isWithin(one, path)), path];
}

/** True if a path is another one or lies below it. */
export function isWithin(path: string, other: string): boolean {
  return path === other || path.startsWith(`${other}.`);
}

/**
 * What can be hidden: fields, and the objects that they are in, which hide all that is below.
 * @param fields paths of fields of all shown types, in any order
 * @returns sorted; without `id` and `type`, which no view hides
 */
export function hideable(fields: readonly string[]): readonly string[] {
  const paths = new Set<string>();
  for (const field of fields) {
    for (let dot = field.indexOf('.'); dot >= 0; dot = field.indexOf('.', dot + 1)) {
      paths.add(field.slice(0, dot));
    }
    paths.add(field);
  }
  return [...paths].filter((path) => path !== 'id' && path !== 'type').sort();
}

/**
 * Visible fields that may have the values of hidden ones: they have the same last name in any case, and one of the
 * two is a member of the document or of its `attributes`.
 * @param paths of fields
 */
export function alikeFields(paths: readonly string[], hide: readonly string[]): readonly string[] {
  const isNear = (path: string) =>
    [lastOf(path), `attributes.${lastOf(path)}`].includes(path.toLowerCase());
  return paths.filter(
    (path) =>
      path !== 'id' &&
      !hide.some((one) => isWithin(path, one)) &&
      hide.some((one) => lastOf(one) === lastOf(path) && (isNear(one) || isNear(path))),
  );
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1).toLowerCase();
}

/** What a view shows, in words, such as `Some identities, all roles`. */
export function summaryOf({ indices }: Pick<ViewDefinition, 'indices'>): string {
  const parts = KINDS.flatMap(({ index, plural }) => {
    const { shows } = choiceOf(indices[index]);
    const amount = shows === 'everything' ? 'all' : 'some';
    return shows === 'nothing' ? [] : [`${amount} ${plural.toLowerCase()}`];
  });
  const text = parts.length === 0 ? 'nothing' : parts.join(', ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
