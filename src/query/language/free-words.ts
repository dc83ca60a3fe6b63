// Builds the query of a clause without a field. At the root it searches the two catch-alls (words
// of text leaves, whole values of keyword leaves), integers if the text is one, and the few
// identifying fields, which are boosted: the identity named Adam ranks above one that has an access
// named Adam. Inside `@path(…)`, where there is no catch-all, it searches every text, keyword and
// integer leaf below the path.
import { bestOf, boosted, MATCH_NONE } from '../build.ts';
import type { Field, Mapping } from '../mapping/mapping.ts';
import { CATCH_ALL, type Query } from '../query.ts';
import { stringQuery } from './field-query.ts';
import type { RequestTexts } from './request-texts.ts';
import type { Leaf } from './syntax.ts';

type WordLeaf = Exclude<Leaf, { readonly kind: 'any' }>;

/** Returns null if the text has no words, so the clause is dropped. */
export function freeWords(leaf: WordLeaf, mapping: Mapping, texts: RequestTexts): Query | null {
  if (isWordless(leaf, texts)) return null;
  const queries = [
    stringQuery(leaf, CATCH_ALL, 'word', texts),
    stringQuery(leaf, CATCH_ALL, 'folded', texts),
  ];
  for (const { path, boost } of mapping.identifying) {
    const form = mapping.fields.get(path)?.type === 'keyword' ? 'folded' : 'word';
    const query = stringQuery(leaf, path, form, texts);
    queries.push(query && boosted(query, boost));
  }
  queries.push(integerQuery(leaf, CATCH_ALL));
  return bestOf(queries.map((query) => query ?? MATCH_NONE));
}

/** As `freeWords`, on the leaves below a nested path. */
export function freeWordsBelow(
  leaf: WordLeaf,
  fields: readonly Field[],
  texts: RequestTexts,
): Query | null {
  if (isWordless(leaf, texts)) return null;
  const queries = fields.map(({ path, type }) => {
    if (type === 'text') return stringQuery(leaf, path, 'word', texts);
    if (type === 'keyword') return stringQuery(leaf, path, 'folded', texts);
    return type === 'long' ? integerQuery(leaf, path) : null;
  });
  return bestOf(queries.map((query) => query ?? MATCH_NONE));
}

function isWordless(leaf: WordLeaf, texts: RequestTexts): boolean {
  return (leaf.kind === 'term' || leaf.kind === 'phrase') && texts.words(leaf.text).length === 0;
}

function integerQuery(leaf: WordLeaf, field: string): Query | null {
  if (leaf.kind !== 'term' && leaf.kind !== 'phrase') return null;
  if (!/^-?\d{1,16}$/.test(leaf.text)) return null;
  const value = Number(leaf.text);
  if (!Number.isSafeInteger(value)) return null;
  return { kind: 'numbers', field, column: 'value', values: [value] };
}
