// Scores by the book: BM25 over plain documents, without Lucene's rounding of numbers but with its rounding of
// lengths. Term, boolean, disMax, phrase, nested and constant clauses; fields of the root and of nested elements.
import { words } from '../../src/analysis/words.ts';
import type { Mapping } from '../../src/query/mapping.ts';
import type { Query } from '../../src/query/plan.ts';
import { naiveMatches, type PlainDocument, termsOf, valuesAt } from './naive.ts';

/** One level of documents: the roots, or the elements below a path, each with the document it lies in. */
interface Level {
  readonly path: string | null;
  readonly rows: readonly { readonly owner: PlainDocument; readonly object: unknown }[];
}

/** Lucene keeps a length in one byte: exactly up to 39, then with three significant bits behind the first. */
export function roundedLength(length: number): number {
  if (length < 40) return length;
  const rest = length - 24;
  const unit = 2 ** (Math.floor(Math.log2(rest)) - 3);
  return 24 + Math.floor(rest / unit) * unit;
}

export class NaiveScores {
  readonly #mapping: Mapping;
  readonly #documents: readonly PlainDocument[];

  constructor(mapping: Mapping, documents: readonly PlainDocument[]) {
    this.#mapping = mapping;
    this.#documents = documents;
  }

  /** The score of a document that matches. */
  score(query: Query, document: PlainDocument): number {
    const rows = this.#documents.map((owner) => ({ owner, object: owner }));
    return this.#score(query, { path: null, rows }, document, document) ?? 0;
  }

  /** undefined where the row does not match. */
  #score(query: Query, level: Level, owner: PlainDocument, object: unknown): number | undefined {
    if (!this.#matches(query, level, owner, object)) return undefined;
    const boost = 'boost' in query ? (query.boost ?? 1) : 1;
    const inner = (one: Query) => this.#score(one, level, owner, object);
    switch (query.kind) {
      case 'term':
        return boost * this.#bm25(level, query.field, object, [query.value], query.form);
      case 'phrase':
        return boost * this.#bm25(level, query.field, object, query.terms, 'word');
      case 'bool':
        return boost * sum([...query.must, ...query.should].map((one) => inner(one) ?? 0));
      case 'disMax': {
        const all = query.queries.flatMap((one) => inner(one) ?? []);
        const best = Math.max(...all);
        return boost * (best + query.tieBreaker * (sum(all) - best));
      }
      case 'nested':
        return boost * this.#nested(query, owner);
      default:
        return boost;
    }
  }

  #nested(query: Extract<Query, { kind: 'nested' }>, owner: PlainDocument): number {
    if (query.scoreMode === 'none') return 0;
    const path = query.path.split('.');
    const rows = this.#documents.flatMap((one) =>
      valuesAt(one, path).map((object) => ({ owner: one, object })),
    );
    const level = { path: query.path, rows };
    const all = valuesAt(owner, path).flatMap((object) => {
      return this.#score(query.query, level, owner, object) ?? [];
    });
    if (query.scoreMode === 'min') return Math.min(...all);
    if (query.scoreMode === 'max') return Math.max(...all);
    return query.scoreMode === 'avg' ? sum(all) / all.length : sum(all);
  }

  /** An element is asked as the only one of a document. */
  #matches(query: Query, { path }: Level, owner: PlainDocument, object: unknown): boolean {
    if (path === null) return naiveMatches(query, this.#mapping, owner);
    const alone = { id: owner.id, [path]: [object] };
    const nested: Query = { kind: 'nested', path, query, scoreMode: 'none' };
    return naiveMatches(nested, this.#mapping, alone);
  }

  #bm25(
    { path, rows }: Level,
    field: string,
    object: unknown,
    phrase: readonly string[],
    form: 'word' | 'folded' | 'exact',
  ): number {
    const names = field.split('.').slice(path === null ? 0 : path.split('.').length);
    const texts = (one: unknown) => valuesAt(one, names).map(String);
    const tokens = (one: unknown) => {
      const all = texts(one).flatMap((text) => termsOf(text, form));
      return form === 'word' ? all : [...new Set(all)];
    };
    const lists = rows.map((row) => tokens(row.object)).filter((list) => list.length > 0);
    const average = sum(lists.map((list) => list.length)) / lists.length;
    const idf = sum(
      phrase.map((term) => {
        const n = lists.filter((list) => list.includes(term)).length;
        return Math.log(1 + (lists.length - n + 0.5) / (n + 0.5));
      }),
    );
    const freq = form === 'word' ? sum(texts(object).map((text) => occurrences(text, phrase))) : 1;
    const length = form === 'word' ? roundedLength(tokens(object).length) : 1;
    return (idf * freq) / (freq + 1.2 * (0.25 + (0.75 * length) / average));
  }
}

function occurrences(text: string, phrase: readonly string[]): number {
  const found = words(text).map((word) => word.term);
  return found.filter((_, at) => phrase.every((term, place) => found[at + place] === term)).length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
