// Counts and single documents, and loads that mix kinds: all kinds, all kinds beside writes, and
// several tenants in turn.
import { AGGREGATION_QUESTIONS } from './aggregation-questions.ts';
import { FIELD_QUESTIONS } from './field-questions.ts';
import { NESTED_QUESTIONS } from './nested-questions.ts';
import { allBut, page, phrase, type QuestionKind, TENANTS } from './question.ts';
import { WORD_QUESTIONS } from './word-questions.ts';

const LOOKUP = { group: 'lookup', sizes: [0] } as const;
const MIXTURE = { group: 'mixture', sizes: [0] } as const;

const LOOKUPS: readonly QuestionKind[] = [
  {
    ...{ ...LOOKUP, name: 'count', hitShareMin: 0.95 },
    question(draw) {
      const { city, department } = draw.person();
      const { lastName } = draw.person();
      const query = `attributes.department:"${department}" AND attributes.city:"${city}" AND NOT lastName:"${lastName}"`;
      return {
        dataset: 'company',
        cardea: {
          ...{ method: 'POST', path: '/v2024/search/count' },
          body: { indices: ['identities'], query: { query } },
        },
        opensearch: {
          ...{ method: 'POST', path: '/identities/_count' },
          body: {
            query: allBut(
              [phrase('attributes.department', department), phrase('attributes.city', city)],
              phrase('lastName', lastName),
            ),
          },
        },
      };
    },
  },
  {
    ...{ ...LOOKUP, name: 'get by id', hitShareMin: 1 },
    question(draw) {
      const { id } = draw.person();
      return {
        dataset: 'company',
        cardea: { method: 'GET', path: `/v2024/search/identities/${id}` },
        opensearch: { method: 'GET', path: `/identities/_doc/${id}` },
      };
    },
  },
];

const ALONE: readonly QuestionKind[] = [
  ...AGGREGATION_QUESTIONS,
  ...FIELD_QUESTIONS,
  ...WORD_QUESTIONS,
  ...NESTED_QUESTIONS,
  ...LOOKUPS,
];
const OF_COMPANY = ALONE.filter(({ datasets }) => datasets === undefined);

/** Every kind about the company with every page size, each kind as often as the others. */
export const MIXED_QUESTIONS: QuestionKind = {
  ...{ ...MIXTURE, name: 'mixed, all kinds', hitShareMin: 0.9 },
  question(draw) {
    const kind = draw.random.pick(OF_COMPANY);
    return kind.question(draw, draw.random.pick(kind.sizes));
  },
};

/** All kinds of questions; those that write come last, since they change the documents. */
export const QUESTION_KINDS: readonly QuestionKind[] = [
  ...ALONE,
  MIXED_QUESTIONS,
  {
    ...{ ...MIXTURE, name: '5 tenants, field AND NOT field', hitShareMin: 0.95 },
    datasets: TENANTS,
    question(draw) {
      const dataset = draw.random.pick(TENANTS);
      const { department } = draw.person();
      const { lastName } = draw.person();
      const query = `attributes.department:"${department}" AND NOT lastName:"${lastName}"`;
      const must = [phrase('attributes.department', department)];
      const body = { query: allBut(must, phrase('lastName', lastName)) };
      return page('identities', 10, { query: { query } }, body, dataset);
    },
  },
  { ...MIXED_QUESTIONS, name: 'mixed, during 50 writes/s', writesPerSecond: 50 },
];
