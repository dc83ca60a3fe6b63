// Warnings of the service about unknown field names, as changes of the query. The service names the
// nearest field; other near ones, and those whose last part is near, are added here.
import { lastPart, nearNames } from '../../../../src/query/mapping/nearest-name.ts';
import { printField } from '../../../model/completion.ts';
import type { KnownField } from '../../../model/field-catalogue.ts';
import { piecesOf } from '../../../model/highlight.ts';

/** A warning about a name, and names that may have been meant. */
export interface UnknownName {
  readonly name: string;
  /** Full paths, the nearest first. */
  readonly candidates: readonly string[];
}

const WARNING = /^No requested index has a field "([^"]+)"(?:; did you mean "([^"]+)"\?)?$/;
const CANDIDATES_MAX = 3;

/** The unknown name of a warning; null: a warning about something else. */
export function unknownNameOf(
  warning: string,
  fields: readonly Pick<KnownField, 'path'>[],
): UnknownName | null {
  const [, name, suggested] = WARNING.exec(warning) ?? [];
  if (name === undefined) return null;
  const paths = fields.map(({ path }) => path);
  const near = [name, lastPart(name)].flatMap((one) => nearNames(one, paths));
  const all = suggested === undefined ? near : [suggested, ...near];
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
