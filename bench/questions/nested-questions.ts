// Pages by conditions that one row of access must meet together.
import type { Draw } from './draw.ts';
import { allBut, PAGE_SIZES, page, phrase, type QuestionKind } from './question.ts';
import type { Access } from './vocabulary.ts';

const PAGES = { group: 'page', sizes: PAGE_SIZES, hitShareMin: 0.95 } as const;

export const NESTED_QUESTIONS: readonly QuestionKind[] = [
  {
    ...{ ...PAGES, name: 'nested access, source AND type AND NOT name' },
    question(draw, size) {
      const { source } = entitledPerson(draw).row;
      const { name } = entitledPerson(draw).row;
      const conditions = `type:ENTITLEMENT AND source.name:"${source}" AND NOT name.exact:"${name}"`;
      const query = allBut(
        [{ term: { 'access.type': 'ENTITLEMENT' } }, phrase('access.source.name', source)],
        { term: { 'access.name.exact': name } },
      );
      return page(
        'identities',
        size,
        { query: { query: `@access(${conditions})` } },
        { query: { nested: { path: 'access', query } } },
      );
    },
  },
  {
    ...{ ...PAGES, name: 'nested access, 3 conditions, AND city AND NOT name' },
    question(draw, size) {
      const { row, city } = entitledPerson(draw);
      const { lastName } = draw.person();
      const query = `${accessText(row)} AND attributes.city:"${city}" AND NOT lastName:"${lastName}"`;
      const must = [nested(row, 'must'), phrase('attributes.city', city)];
      const body = { query: allBut(must, phrase('lastName', lastName)) };
      return page('identities', size, { query: { query } }, body);
    },
  },
  {
    ...{ ...PAGES, name: 'nested access, 3 conditions, AND city AND NOT name, DSL filter' },
    question(draw, size) {
      const { row, city } = entitledPerson(draw);
      const filter = [nested(row, 'filter'), phrase('attributes.city', city)];
      const mustNot = [phrase('lastName', draw.person().lastName)];
      const query = { bool: { filter, must_not: mustNot } };
      return page('identities', size, { queryType: 'DSL', queryDsl: query }, { query });
    },
  },
  {
    ...{ ...PAGES, name: 'heavy identities, nested access, 3 conditions', sizes: [10] },
    datasets: ['heavy'],
    question(draw, size) {
      const { row } = entitledPerson(draw);
      const { lastName } = draw.person();
      const query = `${accessText(row)} AND NOT lastName:"${lastName}"`;
      const body = { query: allBut([nested(row, 'must')], phrase('lastName', lastName)) };
      return page('identities', size, { query: { query } }, body, 'heavy');
    },
  },
];

function accessText({ privileged, source }: Access): string {
  return `@access(type:ENTITLEMENT AND privileged:${privileged} AND source.name:"${source}")`;
}

/** The three conditions on one row of access. */
function nested({ privileged, source }: Access, clause: 'must' | 'filter'): object {
  const conditions = [
    { term: { 'access.type': 'ENTITLEMENT' } },
    { term: { 'access.privileged': privileged } },
    phrase('access.source.name', source),
  ];
  return { nested: { path: 'access', query: { bool: { [clause]: conditions } } } };
}

/** A person with an entitlement. */
function entitledPerson(draw: Draw): { readonly row: Access; readonly city: string } {
  for (;;) {
    const person = draw.person();
    const row = draw.access(person);
    if (row.type === 'ENTITLEMENT') return { row, city: person.city };
  }
}
