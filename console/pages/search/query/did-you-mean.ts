// Warnings of the service about unknown field names, as changes of the query. The service names the
// nearest field by spelling; fields whose last part is near, such as `attributes.department` for
// `departmnt`, are added here.
import { printField } from './completion.ts';
import type { KnownField } from './field-catalogue.ts';
import { piecesOf } from './highlight.ts';

/** A warning about a name, and names that may have been meant. */
export interface UnknownName {
  readonly name: string;
  /** Full paths, the nearest first. */
  readonly candidates: readonly string[];
}

const WARNING = /^No requested index has a field "([^"]+)"(?:; did you mean "([^"]+)"\?)?$/;
const CANDIDATES_MAX = 3;
const EDITS_MAX = 2;

/** The unknown name of a warning; null: a warning about something else. */
export function unknownNameOf(
  warning: string,
  fields: readonly Pick<KnownField, 'path'>[],
): UnknownName | null {
  const [, name, suggested] = WARNING.exec(warning) ?? [];
  if (name === undefined) return null;
  const word = lastPart(name);
  const near = fields
    .map(({ path }) => ({ path, distance: distanceOf(word, lastPart(path)) }))
    .filter(({ distance }) => distance <= EDITS_MAX)
    .sort((a, b) => a.distance - b.distance || a.path.length - b.path.length)
    .map(({ path }) => path);
  const isSuggestedNear =
    suggested !== undefined && distanceOf(word, lastPart(suggested)) <= EDITS_MAX;
  // A name that the service found by its first parts only comes last.
  const all = isSuggestedNear ? [suggested, ...near] : [...near, ...(suggested ? [suggested] : [])];
  return { name, candidates: [...new Set(all)].slice(0, CANDIDATES_MAX) };
}

/**
 * Replaces a field name in a query.
 * @param name full path, or the name as written
 * @param path full path of the new field
 */
export function renameField(query: string, name: string, path: string): string {
  const nestedPaths: (string | null)[] = [null];
  let pending: string | null = null;
  return piecesOf(query)
    .map((piece) => {
      const nested = nestedPaths.at(-1) ?? null;
      if (piece.kind === 'nested') pending = piece.text.slice(1);
      else if (piece.text === '(') {
        nestedPaths.push(pending ?? nested);
        pending = null;
      } else if (piece.text === ')' && nestedPaths.length > 1) nestedPaths.pop();
      if (piece.kind !== 'field') return piece.text;
      const written = piece.text.replace(/\\([\s\S])/g, '$1');
      if (written !== name && `${nested}.${written}` !== name) return piece.text;
      return printField(
        nested !== null && path.startsWith(`${nested}.`) ? path.slice(nested.length + 1) : path,
      );
    })
    .join('');
}

function lastPart(path: string): string {
  return (
    path
      .replace(/\.exact$/, '')
      .split('.')
      .at(-1) ?? path
  ).toLowerCase();
}

/**
 * The number of edits between two words. A start of at least three letters counts as one, an
 * abbreviation such as `dept` for `department` as two.
 */
function distanceOf(word: string, other: string): number {
  if (word.length >= 3 && other.startsWith(word)) return word === other ? 0 : 1;
  if (word.length >= 3 && isAbbreviation(word, other)) return EDITS_MAX;
  if (Math.abs(word.length - other.length) > EDITS_MAX) return EDITS_MAX + 1;
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 1; at <= word.length; at++) {
    const next = [at];
    for (let to = 1; to <= other.length; to++) {
      const change = word[at - 1] === other[to - 1] ? 0 : 1;
      next.push(Math.min((row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1, (row[to - 1] ?? 0) + change));
    }
    row = next;
  }
  // Short words have many neighbours.
  return word.length < 4 && (row.at(-1) ?? 0) > 1 ? EDITS_MAX + 1 : (row.at(-1) ?? 0);
}

function isAbbreviation(word: string, other: string): boolean {
  if (word[0] !== other[0]) return false;
  let at = 0;
  for (const letter of other) if (letter === word[at]) at += 1;
  return at === word.length;
}
