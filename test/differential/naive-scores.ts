// The naive evaluator of scores: BM25 over plain documents, with Lucene's rounding of lengths but
// not of numbers. It cannot score (canScore) fuzzy words, sloppy phrases and phrase prefixes, whose
// weights depend on the terms of an index; for those, the engines are compared with each other.
import { words } from '../../src/query/analysis/words.ts';
import type { Mapping } from '../../src/query/mapping/mapping.ts';
import { CATCH_ALL, type Query, type TermForm } from '../../src/query/query.ts';
import { meets, type Place, type PlainDocument, strings, termsOf, valuesAt } from './naive.ts';

/** True if the score of a query depends only on the documents. */
export function canScore(query: Query): boolean {
  switch (query.kind) {
    case 'fuzzy':
      return false;
    case 'phrase':
      return query.slop === 0 && query.prefixExpansions === undefined;
    case 'bool':
      return [...query.must, ...query.should].every(canScore);
    case 'disMax':
      return query.queries.every(canScore);
    case 'nested':
      return query.scoreMode === 'none' || canScore(query.query);
    default:
      return true;
  }
}

/**
 * Lucene's SmallFloat encodes a length in one byte: exact up to 39, then with four significant
 * bits.
 */
export function roundedLength(length: number): number {
  if (length < 40) return length;
  const rest = length - 24;
  const unit = 2 ** (Math.floor(Math.log2(rest)) - 3);
  return 24 + Math.floor(rest / unit) * unit;
}

/** Statistics of one form of a field: the terms of each row, and the document frequencies. */
interface Statistics {
  readonly lists: ReadonlyMap<unknown, readonly string[]>;
  readonly docFreqs: ReadonlyMap<string, number>;
  readonly count: number;
  readonly average: number;
}

/** Scores for one index without replaced documents, so statistics are those of live documents. */
export class NaiveScores {
  readonly #mapping: Mapping;
  readonly #documents: readonly PlainDocument[];
  readonly #statistics = new Map<string, Statistics>();

  constructor(mapping: Mapping, documents: readonly PlainDocument[]) {
    this.#mapping = mapping;
    this.#documents = documents;
  }

  /** The score of a matching document. */
  score(query: Query, document: PlainDocument): number {
    const place = { mapping: this.#mapping, document, path: null, element: document };
    return this.#score(query, place) ?? 0;
  }

  /** undefined if the row does not match. */
  #score(query: Query, place: Place): number | undefined {
    if (!meets(query, place)) return undefined;
    const boost = 'boost' in query ? (query.boost ?? 1) : 1;
    const inner = (one: Query) => this.#score(one, place);
    switch (query.kind) {
      case 'term':
        return boost * this.#bm25(query.field, query.form, [query.value], place);
      case 'phrase':
        return boost * this.#bm25(query.field, 'word', query.terms, place);
      case 'bool':
        return boost * sum([...query.must, ...query.should].map((one) => inner(one) ?? 0));
      case 'disMax': {
        const all = query.queries.flatMap((one) => inner(one) ?? []);
        const best = Math.max(...all);
        return boost * (best + query.tieBreaker * (sum(all) - best));
      }
      case 'nested':
        return boost * this.#nested(query, place.document);
      default:
        return boost;
    }
  }

  #nested(query: Extract<Query, { kind: 'nested' }>, document: PlainDocument): number {
    if (query.scoreMode === 'none') return 0;
    const all = this.#rows(query.path, document).flatMap(
      (row) => this.#score(query.query, row) ?? [],
    );
    if (query.scoreMode === 'min') return Math.min(...all);
    if (query.scoreMode === 'max') return Math.max(...all);
    return query.scoreMode === 'avg' ? sum(all) / all.length : sum(all);
  }

  #rows(path: string | null, document: PlainDocument): Place[] {
    const place = { mapping: this.#mapping, document, path };
    if (path === null) return [{ ...place, element: document }];
    const elements = valuesAt(document, path.split('.')).filter((one) => typeof one === 'object');
    return elements.map((element) => ({ ...place, element }));
  }

  #bm25(field: string, form: TermForm, phrase: readonly string[], place: Place): number {
    const { lists, docFreqs, count, average } = this.#statisticsOf(place.path, field, form);
    const idf = sum(
      phrase.map((term) => {
        const n = docFreqs.get(term) ?? 0;
        return Math.log(1 + (count - n + 0.5) / (n + 0.5));
      }),
    );
    const texts = () => strings(place, field, ['text']);
    const freq = form === 'word' ? sum(texts().map((text) => occurrences(text, phrase))) : 1;
    const length = form === 'word' ? roundedLength(lists.get(place.element)?.length ?? 0) : 1;
    return (idf * freq) / (freq + 1.2 * (0.25 + (0.75 * length) / average));
  }

  #statisticsOf(path: string | null, field: string, form: TermForm): Statistics {
    const key = JSON.stringify([path, field, form]);
    let found = this.#statistics.get(key);
    if (found === undefined) {
      found = this.#count(path, field, form);
      this.#statistics.set(key, found);
    }
    return found;
  }

  #count(path: string | null, field: string, form: TermForm): Statistics {
    const types = typesOf(field, form);
    const lists = new Map<unknown, readonly string[]>();
    const docFreqs = new Map<string, number>();
    for (const place of this.#documents.flatMap((document) => this.#rows(path, document))) {
      const all = strings(place, field, types).flatMap((text) => termsOf(text, form));
      const terms = new Set(all);
      if (terms.size === 0) continue;
      lists.set(place.element, form === 'word' ? all : [...terms]);
      for (const term of terms) docFreqs.set(term, (docFreqs.get(term) ?? 0) + 1);
    }
    const average = sum([...lists.values()].map((list) => list.length)) / lists.size;
    return { lists, docFreqs, count: lists.size, average };
  }
}

function typesOf(field: string, form: TermForm): string[] {
  if (form === 'word') return ['text'];
  return field === CATCH_ALL ? ['keyword'] : ['text', 'keyword'];
}

function occurrences(text: string, phrase: readonly string[]): number {
  const terms = words(text).map((word) => word.term);
  return terms.filter((_, at) => phrase.every((term, place) => terms[at + place] === term)).length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
