// Pages by the values of fields: equality, conjunctions, phrases, dates and sorting.
import type { Draw } from './draw.ts';
import { allBut, PAGE_SIZES, page, phrase, type QuestionKind } from './question.ts';

/** All kinds here return pages of identities or events that exist. */
const PAGES = { group: 'page', sizes: PAGE_SIZES, hitShareMin: 0.95 } as const;

export const FIELD_QUESTIONS: readonly QuestionKind[] = [
  {
    ...{ ...PAGES, name: 'match all but one name' },
    question(draw, size) {
      const { name } = draw.person();
      return page(
        'identities',
        size,
        { query: { query: `NOT name.exact:"${name}"` } },
        { query: { bool: { must_not: [{ term: { 'name.exact': name } }] } } },
      );
    },
  },
  {
    ...{ ...PAGES, name: 'title or manager, .exact' },
    question(draw, size) {
      const { jobTitle } = draw.person();
      const { manager } = draw.person();
      return page(
        'identities',
        size,
        {
          query: {
            query: `attributes.jobTitle.exact:"${jobTitle}" OR manager.name.exact:"${manager}"`,
          },
        },
        {
          query: {
            bool: {
              should: [
                { term: { 'attributes.jobTitle.exact': jobTitle } },
                { term: { 'manager.name.exact': manager } },
              ],
            },
          },
        },
      );
    },
  },
  {
    ...{ ...PAGES, name: 'field AND NOT field' },
    question(draw, size) {
      const { jobTitle } = draw.person();
      const { lastName } = draw.person();
      return page(
        'identities',
        size,
        { query: { query: `attributes.jobTitle:"${jobTitle}" AND NOT lastName:"${lastName}"` } },
        { query: allBut([phrase('attributes.jobTitle', jobTitle)], phrase('lastName', lastName)) },
      );
    },
  },
  {
    ...{ ...PAGES, name: 'field AND field AND NOT field' },
    question(draw, size) {
      const { city, department } = draw.person();
      const { lastName } = draw.person();
      const conditions = `attributes.department:"${department}" AND attributes.city:"${city}"`;
      return page(
        'identities',
        size,
        { query: { query: `${conditions} AND NOT lastName:"${lastName}"` } },
        {
          query: allBut(
            [phrase('attributes.department', department), phrase('attributes.city', city)],
            phrase('lastName', lastName),
          ),
        },
      );
    },
  },
  {
    ...{ ...PAGES, name: 'phrase AND field AND NOT field' },
    question(draw, size) {
      const { jobTitle, lifecycleState } = multiWordTitle(draw);
      const { lastName } = draw.person();
      const field = 'attributes.cloudLifecycleState';
      const conditions = `attributes.jobTitle:"${jobTitle}" AND ${field}:${lifecycleState}`;
      return page(
        'identities',
        size,
        { query: { query: `${conditions} AND NOT lastName:"${lastName}"` } },
        {
          query: allBut(
            [phrase('attributes.jobTitle', jobTitle), phrase(field, lifecycleState)],
            phrase('lastName', lastName),
          ),
        },
      );
    },
  },
  eventsOfDays('events by type in a range of days', 'must'),
  eventsOfDays('events by type in a range of days, DSL filter', 'filter'),
  {
    ...{ ...PAGES, name: 'sort by name, searchAfter a name' },
    question(draw, size) {
      const { name } = draw.person();
      return page(
        'identities',
        size,
        { query: { query: '*' }, sort: ['name', 'id'], searchAfter: [name, '0'] },
        {
          query: { match_all: {} },
          sort: [{ 'name.exact': 'asc' }, { id: 'asc' }],
          search_after: [name, '0'],
        },
      );
    },
  },
  {
    ...{ ...PAGES, name: 'from 9,750, sorted', sizes: [250] },
    question(draw, size) {
      const { name } = draw.person();
      const from = 9_750;
      const question = page(
        'identities',
        size,
        { query: { query: `NOT name.exact:"${name}"` }, sort: ['name'] },
        {
          ...{ from, sort: [{ 'name.exact': 'asc' }] },
          query: { bool: { must_not: [{ term: { 'name.exact': name } }] } },
        },
      );
      const { cardea } = question;
      return { ...question, cardea: { ...cardea, path: `${cardea.path}&offset=${from}` } };
    },
  },
];

/** @param clause whether the queries score; a scored query is sent to Cardea as a query string */
function eventsOfDays(name: string, clause: 'must' | 'filter'): QuestionKind {
  return {
    ...{ ...PAGES, name },
    question(draw, size) {
      const { type, created } = draw.event();
      const { from, to } = draw.daysAround(created);
      const dsl = {
        bool: { [clause]: [{ range: { created: { gte: from, lte: to } } }, { match: { type } }] },
      };
      const cardea =
        clause === 'filter'
          ? { queryType: 'DSL', queryDsl: dsl }
          : { query: { query: `created:[${from} TO ${to}] AND type:${type}` } };
      return page('events', size, cardea, { query: dsl });
    },
  };
}

/** A person whose job title has several words, as most have. */
function multiWordTitle(draw: Draw) {
  for (;;) {
    const person = draw.person();
    if (person.jobTitle.includes(' ')) return person;
  }
}
