// The naive evaluator: runs a plan over plain documents. Computes matches and their order, element
// rows, counts, completions, aggregations and, where possible, scores.

import { scores } from '../../src/engine/scoring/scoring.ts';
import type { Aggregations } from '../../src/query/aggregation.ts';
import { fold } from '../../src/query/analysis/fold.ts';
import { words } from '../../src/query/analysis/words.ts';
import type { Mapping } from '../../src/query/mapping/mapping.ts';
import type { Plan, Target, TypeaheadField } from '../../src/query/plan.ts';
import type { IndexName, SortKey, SortValue } from '../../src/query/query.ts';
import type { TypeaheadResult } from '../../src/service/ports/search-backend.ts';
import { sourceDocument } from '../support/segments.ts';
import type { Answer, AnsweredRow } from './answer.ts';
import {
  byCodePoints,
  compareTuples,
  naiveElementMatches,
  naiveElements,
  naiveMatches,
  naiveSortValue,
  type Place,
  type PlainDocument,
  valuesAt,
} from './naive.ts';
import { naiveAggregate, type Row, setAllRows } from './naive-aggregations.ts';
import { compareElements, naiveElementOrder } from './naive-elements.ts';
import { canScore, NaiveScores } from './naive-scores.ts';
import type { Change } from './random-history.ts';

/** An index of the naive evaluator. */
export interface PlainIndex {
  readonly mapping: Mapping;
  /** In id order. */
  readonly documents: readonly PlainDocument[];
}

interface Match {
  readonly index: IndexName;
  readonly mapping: Mapping;
  readonly document: PlainDocument;
  readonly target: Target;
  readonly sort: readonly SortValue[];
  /** undefined: cannot be computed. */
  readonly score: number | undefined;
}

const BY_SCORE: SortKey = { field: '_score', order: 'desc', type: 'score' };

export class NaiveSearch {
  readonly #indexes: ReadonlyMap<IndexName, PlainIndex>;
  readonly #scores: ReadonlyMap<IndexName, NaiveScores> | null;

  /** @param change `often`: without scores, since statistics include deleted documents */
  constructor(indexes: ReadonlyMap<IndexName, PlainIndex>, change: Change) {
    this.#indexes = indexes;
    const scorers = [...indexes].map(
      ([name, { mapping, documents }]) => [name, new NaiveScores(mapping, documents)] as const,
    );
    this.#scores = change === 'once' ? new Map(scorers) : null;
  }

  search(plan: Plan): Answer {
    if (plan.elementOrder) return this.#elements(plan);
    const matches = this.#matches(plan);
    const scored = plan.sort.length === 0 && plan.targets.some(({ query }) => scores(query));
    const keys = scored ? [BY_SCORE] : plan.sort;
    const tuple = ({ sort, score }: Match) => (scored ? [score ?? null] : sort);
    const doc = keys.findIndex((key) => key.type === 'doc');
    const compared = doc < 0 ? keys : keys.slice(0, doc);
    const sign = doc < 0 || keys[doc]!.order === 'asc' ? 1 : -1;
    matches.sort(
      (a, b) =>
        compareTuples(compared, tuple(a), tuple(b)) ||
        sign * (byCodePoints(a.index, b.index) || byCodePoints(a.document.id, b.document.id)),
    );
    const { searchAfter } = plan;
    const behind = searchAfter
      ? matches.filter((match) => compareTuples(compared, match.sort, searchAfter) > 0)
      : matches;
    const all = behind.flatMap((match) => rowsOf(match, plan, scored));
    const total = searchAfter
      ? matches.flatMap((match) => rowsOf(match, plan, scored)).length
      : all.length;
    const aggregations = this.#aggregations(plan, matches);
    return {
      rows: all.slice(plan.from, plan.from + plan.size),
      all,
      total: plan.trackTotal ? total : null,
      ...(aggregations && { aggregations }),
    };
  }

  count(plan: Plan): number {
    const rows = this.#matches({ ...plan, sort: [] }).flatMap((match) =>
      rowsOf(match, plan, false),
    );
    return rows.length;
  }

  typeahead({ targets, typeahead }: Plan): TypeaheadResult {
    const { size, order, by, maxExpansions } = typeahead!;
    const counts = new Map<string, number>();
    for (const target of targets) {
      const index = this.#indexes.get(target.index);
      if (index === undefined || target.typeahead === undefined) continue;
      countValues(index, target.typeahead, maxExpansions, counts);
    }
    const sign = order === 'asc' ? 1 : -1;
    const values = [...counts]
      .map(([value, count]) => ({ value, count }))
      .sort((a, b) =>
        by === 'value'
          ? sign * byCodePoints(a.value, b.value)
          : sign * (a.count - b.count) || byCodePoints(a.value, b.value),
      );
    return { values: values.slice(0, size), total: values.length };
  }

  /** Elements in an order of their own. */
  #elements(plan: Plan): Answer {
    const [target] = plan.targets;
    const at = target === undefined ? undefined : this.#indexes.get(target.index);
    if (target === undefined || at === undefined) throw new TypeError('Not a plan for elements');
    const { from, size, source, searchAfter, trackTotal } = plan;
    const elements = naiveElementOrder(plan, target, at);
    const later = searchAfter
      ? elements.filter(({ sort }) => compareElements(plan, sort, searchAfter) > 0)
      : elements;
    const all = later.map(({ document, sort }): AnsweredRow => {
      const row = { index: target.index, id: document.id, score: null, sort };
      return { ...row, source: sourceOf(document, at.mapping, source.nested) };
    });
    const total = trackTotal ? elements.length : null;
    return { rows: all.slice(from, from + size), all, total };
  }

  #matches(plan: Plan): Match[] {
    const needsScores = plan.sort.length === 0 || plan.sort.some(({ type }) => type === 'score');
    return plan.targets.flatMap((target): Match[] => {
      const { index, query } = target;
      const { mapping, documents } = this.#indexes.get(index) ?? { documents: [] };
      const scorer = needsScores && canScore(query) ? this.#scores?.get(index) : undefined;
      if (mapping === undefined) return [];
      return documents
        .filter((document) => naiveMatches(query, mapping, document))
        .map((document) => {
          const score = scorer?.score(query, document);
          const sort = plan.sort.map((key) =>
            key.type === 'score'
              ? (score ?? null)
              : naiveSortValue(key, placeOf(mapping, document)),
          );
          return { index, mapping, document, target, sort, score };
        });
    });
  }

  #aggregations(plan: Plan, matches: readonly Match[]): Record<string, unknown> | undefined {
    if (plan.maxBuckets === undefined) return undefined;
    const all = plan.targets.flatMap(({ index }): Row[] => {
      const { mapping, documents } = this.#indexes.get(index)!;
      return documents.map((document) => {
        return { index, mapping, document, path: null, element: document, offset: 0 };
      });
    });
    setAllRows(all);
    const matching = new Set(matches.map(({ document }) => document));
    const rows = all.filter(({ document }) => matching.has(document));
    const forms = new Map<IndexName, Aggregations>(
      plan.targets.map(({ index, aggregations = {} }) => [index, aggregations]),
    );
    return JSON.parse(JSON.stringify(naiveAggregate(forms, rows, all))) as Record<string, unknown>;
  }
}

const placeOf = (mapping: Mapping, document: PlainDocument): Place => {
  return { mapping, document, path: null, element: document };
};

/** The rows of a document: itself, or its elements. */
function rowsOf(match: Match, plan: Plan, scored: boolean): AnsweredRow[] {
  const { index, mapping, document, target, sort } = match;
  const score = scored || plan.sort.some(({ type }) => type === 'score') ? match.score : null;
  const row = { index, id: document.id, score, sort: scored ? [] : sort };
  const { innerHit } = target;
  if (plan.targets.every((one) => one.innerHit === undefined)) {
    return [{ ...row, source: sourceOf(document, mapping, plan.source.nested) }];
  }
  if (innerHit === undefined) return [];
  const { path, query } = innerHit;
  return naiveElements(document, path)
    .filter((element) => naiveElementMatches(query, path, mapping, document, element))
    .map((element) => ({ ...row, source: JSON.stringify(element) }));
}

const decoder = new TextDecoder();
/** Texts of root and nested members by document, since thousands of plans return the same ones. */
const SOURCES = new WeakMap<PlainDocument, readonly [root: string, nested: string]>();

function sourceOf(document: PlainDocument, { nestedPaths }: Mapping, withNested: boolean): string {
  let source = SOURCES.get(document);
  if (source === undefined) {
    const { id, ...members } = document;
    const { root, nested } = sourceDocument(id, members, nestedPaths);
    source = [decoder.decode(root), decoder.decode(nested)];
    SOURCES.set(document, source);
  }
  return source[0] + (withNested ? source[1] : '');
}

/** Adds the documents of an index for each value that completes the text. */
function countValues(
  { mapping, documents }: PlainIndex,
  { field, form, terms, filter }: TypeaheadField,
  maxExpansions: number,
  counts: Map<string, number>,
): void {
  const textsOf = (document: PlainDocument) =>
    valuesAt(document, field.split('.'))
      .filter((one) => typeof one !== 'object')
      .map(String);
  const termsIn = (text: string) =>
    form === 'word' ? words(text).map(({ term }) => term) : [form === 'folded' ? fold(text) : text];
  const last = terms.at(-1);
  const vocabulary = new Set(documents.flatMap(textsOf).flatMap(termsIn));
  const ends = [...vocabulary]
    .filter((term) => last !== undefined && term.startsWith(last))
    .sort(byCodePoints)
    .slice(0, maxExpansions);
  const completes = (text: string): boolean => {
    const textTerms = termsIn(text);
    const stands = (at: number) =>
      terms.every((term, offset) => {
        const textTerm = textTerms[at + offset]!;
        return offset === terms.length - 1 ? ends.includes(textTerm) : textTerm === term;
      });
    return textTerms.some(
      (_, at) => terms.length > 0 && at + terms.length <= textTerms.length && stands(at),
    );
  };
  for (const document of documents) {
    if (!naiveMatches(filter, mapping, document)) continue;
    for (const value of new Set(textsOf(document).filter(completes))) {
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
  }
}
