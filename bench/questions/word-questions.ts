// Pages by words in many fields: free text, prefixes, infixes and phrases.
import type { Draw } from './draw.ts';
import { PAGE_SIZES, page, type QuestionKind } from './question.ts';

/** Fields of identities. */
const FIELDS_13: readonly string[] = [
  ...['name', 'displayName', 'firstName', 'lastName', 'email', 'employeeNumber', 'status'],
  ...['manager.name', 'attributes.department', 'attributes.jobTitle', 'attributes.city'],
  ...['attributes.location', 'attributes.costCenter'],
];
/** More fields of identities. */
export const FIELDS_22: readonly string[] = [
  ...FIELDS_13,
  ...['phone', 'tags', 'manager.displayName', 'identityProfile.name', 'source.name'],
  ...['attributes.uid', 'attributes.country', 'attributes.employeeType'],
  'attributes.cloudLifecycleState',
];
/** Fields that only other document types have, as a client sends that searches all of them. */
const FIELDS_OF_OTHER_TYPES: readonly string[] = [
  ...['action', 'actor.name', 'target.name', 'technicalName', 'operation', 'trackingNumber'],
  ...['requester.name', 'recipient.name', 'accessProfiles.name'],
];

const PAGES = { group: 'page', sizes: PAGE_SIZES, hitShareMin: 0.95 } as const;

export const WORD_QUESTIONS: readonly QuestionKind[] = [
  inFields('free text, 2 words, 13 fields', FIELDS_13, (draw) =>
    draw.twoWords(draw.person()).join(' '),
  ),
  inFields('free text, 2 words, 22 fields', FIELDS_22, (draw) =>
    draw.twoWords(draw.person()).join(' '),
  ),
  inFields(
    'free text, 22 fields, 9 of other types',
    [...FIELDS_13, ...FIELDS_OF_OTHER_TYPES],
    (draw) => draw.twoWords(draw.person()).join(' '),
  ),
  anywhere(
    'free text anywhere',
    (draw) => draw.twoWords(draw.person()).join(' '),
    (text) => text,
    (field, text, boost) => ({ match: { [field]: { query: text, boost } } }),
  ),
  {
    ...{ ...PAGES, name: 'name:nam*' },
    question(draw, size) {
      const query = `name:${draw.namePrefix(draw.person().name)}*`;
      return page('identities', size, { query: { query } }, { query: { query_string: { query } } });
    },
  },
  inFields('2 prefixes, 13 fields', FIELDS_13, (draw) =>
    draw
      .twoWords(draw.person())
      .map((word) => `${draw.prefix(word, 2, 5)}*`)
      .join(' '),
  ),
  inFields('nam*, 22 fields', FIELDS_22, (draw) => {
    const { name, manager } = draw.person();
    return `${draw.namePrefix(draw.random.pick([name, manager]))}*`;
  }),
  inFields('*nam*, 22 fields', FIELDS_22, (draw) => {
    return `*${draw.infix(draw.person().name, 2, 7).replace(/^\.|\.$/, '')}*`;
  }),
  {
    ...{ ...PAGES, name: 'displayName:*nam*' },
    question(draw, size) {
      const query = `displayName:*${draw.infix(draw.nameWord(), 2, 8)}*`;
      return page('identities', size, { query: { query } }, { query: { query_string: { query } } });
    },
  },
  anywhere(
    'nam* anywhere',
    (draw) => draw.namePrefix(draw.person().name),
    (text) => `${text}*`,
    (field, value, boost) => ({ prefix: { [field]: { value, boost } } }),
  ),
  inFields('2 phrases, 22 fields', FIELDS_22, (draw) => {
    const { jobTitle } = draw.person();
    return `"${jobTitle}" "${draw.person().displayName}"`;
  }),
];

/** The same query string over the same named fields of both systems. */
function inFields(
  name: string,
  fields: readonly string[],
  text: (draw: Draw) => string,
): QuestionKind {
  return {
    ...{ ...PAGES, name },
    question(draw, size) {
      const query = { query: text(draw), fields };
      return page('identities', size, { query }, { query: { query_string: query } });
    },
  };
}

/** The fields of an unqualified word in Cardea: the catch-all and the identifying ones. */
const ANYWHERE: readonly (readonly [field: string, boost: number])[] = [
  ...([['all', 1]] as const),
  ...(['name', 'displayName'] as const).map((field) => [field, 4] as const),
  ...(['email', 'firstName', 'lastName'] as const).map((field) => [field, 2] as const),
];

/** An unqualified query of Cardea beside the `dis_max` that means the same. */
function anywhere(
  name: string,
  value: (draw: Draw) => string,
  query: (value: string) => string,
  clause: (field: string, value: string, boost: number) => object,
): QuestionKind {
  return {
    ...{ ...PAGES, name },
    question(draw, size) {
      const text = value(draw);
      const queries = ANYWHERE.map(([field, boost]) => clause(field, text, boost));
      const cardea = { query: { query: query(text) } };
      return page('identities', size, cardea, { query: { dis_max: { queries } } });
    },
  };
}
