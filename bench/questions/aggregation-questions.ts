// Aggregations on the matches of a query: of a few hundred identities, and of nearly all.
import type { Draw } from './draw.ts';
import { aggregation, allBut, phrase, type QuestionKind } from './question.ts';

const AGGREGATION = { group: 'aggregation', sizes: [0], hitShareMin: 0.95 } as const;

interface Filter {
  readonly cardea: string;
  readonly opensearch: object;
}

const DEPARTMENTS = {
  cardea: { departments: { terms: { field: 'attributes.department' } } },
  opensearch: { departments: { terms: { field: 'attributes.department.exact' } } },
};
const PRIVILEGED_SOURCES = {
  cardea: privilegedSources('access.source.name'),
  opensearch: privilegedSources('access.source.name.exact'),
};
const MANAGERS = {
  cardea: { managers: { cardinality: { field: 'manager.name' } } },
  opensearch: { managers: { cardinality: { field: 'manager.name.exact' } } },
};
const MONTHS = { months: { date_histogram: { field: 'created', calendar_interval: 'month' } } };

export const AGGREGATION_QUESTIONS: readonly QuestionKind[] = [
  ofIdentities('terms on a query', someIdentities, DEPARTMENTS),
  ofIdentities('terms, all identities but one', allIdentitiesButOne, DEPARTMENTS),
  ofIdentities('nested, filter, terms on a query', someIdentities, PRIVILEGED_SOURCES),
  ofIdentities(
    'nested, filter, terms, all identities but one',
    allIdentitiesButOne,
    PRIVILEGED_SOURCES,
  ),
  ofIdentities('cardinality on a query', someIdentities, MANAGERS),
  ofIdentities('cardinality, all identities but one', allIdentitiesButOne, MANAGERS),
  {
    ...{ ...AGGREGATION, name: 'date_histogram on a query' },
    question(draw) {
      const { type } = draw.event();
      const { target } = draw.event();
      const cardea = `type:${type} AND NOT target.name.exact:"${target}"`;
      const opensearch = allBut([{ match: { type } }], { term: { 'target.name.exact': target } });
      return aggregation('events', { cardea, opensearch }, { cardea: MONTHS, opensearch: MONTHS });
    },
  },
  {
    ...{ ...AGGREGATION, name: 'date_histogram, all events but one' },
    question(draw) {
      const { target } = draw.event();
      const cardea = `NOT target.name.exact:"${target}"`;
      const opensearch = { bool: { must_not: [{ term: { 'target.name.exact': target } }] } };
      return aggregation('events', { cardea, opensearch }, { cardea: MONTHS, opensearch: MONTHS });
    },
  },
  {
    ...{ ...AGGREGATION, name: 'heavy identities, nested, filter, terms' },
    datasets: ['heavy'],
    question: (draw) =>
      aggregation('identities', allIdentitiesButOne(draw), PRIVILEGED_SOURCES, 'heavy'),
  },
];

function ofIdentities(
  name: string,
  filter: (draw: Draw) => Filter,
  aggs: { readonly cardea: object; readonly opensearch: object },
): QuestionKind {
  return {
    ...{ ...AGGREGATION, name },
    question: (draw) => aggregation('identities', filter(draw), aggs),
  };
}

/** Identities with a title in a city, but for one family name. */
function someIdentities(draw: Draw): Filter {
  const { city, jobTitle } = draw.person();
  const { lastName } = draw.person();
  const conditions = `attributes.city:"${city}" OR attributes.jobTitle:"${jobTitle}"`;
  const either = {
    bool: { should: [phrase('attributes.city', city), phrase('attributes.jobTitle', jobTitle)] },
  };
  return {
    cardea: `(${conditions}) AND NOT lastName:"${lastName}"`,
    opensearch: allBut([either], phrase('lastName', lastName)),
  };
}

function allIdentitiesButOne(draw: Draw): Filter {
  const { name } = draw.person();
  return {
    cardea: `NOT name.exact:"${name}"`,
    opensearch: { bool: { must_not: [{ term: { 'name.exact': name } }] } },
  };
}

/** The sources of privileged access. */
function privilegedSources(field: string): object {
  return {
    access: {
      nested: { path: 'access' },
      aggs: {
        privileged: {
          filter: { term: { 'access.privileged': true } },
          aggs: { sources: { terms: { field } } },
        },
      },
    },
  };
}
