// Elements as rows, and the values of a type-ahead, against an evaluator that looks at every document: random
// documents in random segments. CARDEA_SEED as in engine.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fold } from '../../src/analysis/fold.ts';
import { words } from '../../src/analysis/words.ts';
import { countElements, elementsOf } from '../../src/engine/search/inner-hits.ts';
import { Searcher } from '../../src/engine/search/searcher.ts';
import { completeValues } from '../../src/engine/search/typeahead.ts';
import type { InnerHit, Typeahead, TypeaheadField } from '../../src/query/plan.ts';
import {
  byCodePoints,
  naiveElementMatches,
  naiveElements,
  naiveMatches,
  type PlainDocument,
  valuesAt,
} from './naive.ts';
import { Random } from './random.ts';
import { KEYS, MAPPING, NESTED, randomText, WORDS } from './random-documents.ts';
import { build, randomSteps, run, survivors } from './random-history.ts';
import { randomQuery } from './random-plans.ts';

const SEED = Number(process.env['CARDEA_SEED'] ?? 20_261_121);
const INDEXES = 120;
const PLANS = 12;

function cases(check: (random: Random, documents: PlainDocument[], views: Views) => void): void {
  for (let at = 0; at < INDEXES; at++) {
    const random = new Random(SEED + at);
    const steps = randomSteps(random);
    const views = build(steps);
    for (let plan = 0; plan < PLANS; plan++) {
      try {
        check(random, survivors(steps), views);
      } catch (error) {
        assert.fail(`CARDEA_SEED=${SEED + at}, plan ${plan}: ${(error as Error).message}`);
      }
    }
  }
}

type Views = ReturnType<typeof build>;

test('elements found below documents are those that meet the inner query, in array order', () => {
  let rows = 0;
  cases((random, documents, views) => {
    const query = randomQuery(random, null, 1);
    const path = random.pick(NESTED);
    const innerHit: InnerHit = { path, query: randomQuery(random, path, 1) };
    const expected = documents
      .filter((document) => naiveMatches(query, MAPPING, document))
      .map((document) => ({
        id: document.id,
        rows: [...naiveElements(document, path).entries()]
          .filter(([, element]) =>
            naiveElementMatches(innerHit.query, path, MAPPING, document, element),
          )
          .map(([row]) => row),
      }));
    const request = { sort: [], size: 1000, trackTotal: false };
    const { docs } = run(new Searcher(MAPPING, views).search(query, request));
    const elements = run(elementsOf(views, innerHit, docs));
    const found = docs.map((doc, at) => ({
      id: views[doc.view]!.segment.ids.term(doc.row),
      rows: [...elements[at]!],
    }));
    found.sort((a, b) => byCodePoints(a.id, b.id));
    assert.deepEqual(found, expected, JSON.stringify({ query, innerHit }));
    const total = expected.reduce((sum, one) => sum + one.rows.length, 0);
    assert.equal(run(countElements(views, query, innerHit)), total, JSON.stringify(innerHit));
    rows += total;
  });
  assert.ok(rows > 700, `${rows} rows prove little`);
});

test('completed values, their counts and their order are those of all live documents', () => {
  let values = 0;
  cases((random, documents, views) => {
    const field = randomField(random);
    const typeahead: Typeahead = {
      size: random.pick([1, 3, 100]),
      order: random.pick(['asc', 'desc'] as const),
      by: random.pick(['count', 'value'] as const),
      maxExpansions: random.pick([1, 2, 3, 10, 1000]),
    };
    const found = run(completeValues([{ views, field }], typeahead));
    const expected = naiveValues(documents, field, typeahead);
    assert.deepEqual(found, expected, JSON.stringify({ field, typeahead }));
    values += found.total;
  });
  assert.ok(values > 500, `${values} values prove little`);
});

function randomField(random: Random): TypeaheadField {
  const strings = [...MAPPING.fields.values()].filter(
    ({ type }) => type === 'text' || type === 'keyword',
  );
  const { path, nested, type } = random.pick(strings);
  const form = random.chance(0.2) ? 'exact' : type === 'text' ? 'word' : 'folded';
  const typed = random.pick([...WORDS, ...KEYS, randomText(random)]);
  const cut = (text: string) => [...text].slice(0, 1 + random.int(4)).join('');
  const filter = random.chance(0.5) ? randomQuery(random, null, 1) : { kind: 'matchAll' as const };
  const at = { field: path, nested, filter };
  if (form === 'exact') return { ...at, form, terms: [cut(typed)] };
  if (form === 'folded') return { ...at, form, terms: [fold(cut(typed))] };
  const terms = words(typed)
    .map(({ term }) => term)
    .slice(0, 3);
  const last = terms.pop();
  return { ...at, form, terms: last === undefined ? [] : [...terms, cut(last)] };
}

function naiveValues(
  documents: readonly PlainDocument[],
  { field, form, terms, filter }: TypeaheadField,
  { size, order, by, maxExpansions }: Typeahead,
) {
  const textsOf = (document: PlainDocument) =>
    valuesAt(document, field.split('.'))
      .filter((one) => typeof one !== 'object')
      .map(String);
  const termsIn = (text: string) =>
    form === 'word' ? words(text).map(({ term }) => term) : [form === 'folded' ? fold(text) : text];
  const last = terms.at(-1);
  const all = new Set(documents.flatMap(textsOf).flatMap(termsIn));
  const ends = [...all]
    .filter((term) => last !== undefined && term.startsWith(last))
    .sort(byCodePoints)
    .slice(0, maxExpansions);
  const completes = (text: string) => {
    const found = termsIn(text);
    return (
      terms.length > 0 &&
      found.some(
        (_, at) =>
          at + terms.length <= found.length &&
          terms.every((term, offset) =>
            offset === terms.length - 1
              ? ends.includes(found[at + offset]!)
              : found[at + offset] === term,
          ),
      )
    );
  };
  const counts = new Map<string, number>();
  for (const document of documents) {
    if (!naiveMatches(filter, MAPPING, document)) continue;
    for (const value of new Set(textsOf(document).filter(completes))) {
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
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
