// Documents that are full of the awkward: the same few words everywhere (so that phrases, repetitions and ties
// happen), letters beyond ASCII and beyond U+FFFF, empty strings, nulls, empty arrays, values of the wrong type.
import type { Mapping } from '../../src/query/mapping.ts';
import { testMapping } from '../support/segments.ts';
import type { PlainDocument } from './naive.ts';
import type { Random } from './random.ts';

export const NESTED = ['accounts', 'apps'];

export const MAPPING: Mapping = {
  ...testMapping(
    {
      id: 'keyword',
      name: 'text',
      displayName: 'text',
      tags: 'text',
      status: 'keyword',
      codes: 'keyword',
      created: 'date',
      count: 'long',
      ratio: 'double',
      active: 'boolean',
      'manager.name': 'text',
      'attributes.city': 'text?',
      'attributes.end': 'text?',
      'attributes.level': 'long?',
      'accounts.id': 'keyword',
      'accounts.name': 'text',
      'accounts.source.name': 'text',
      'accounts.disabled': 'boolean',
      'accounts.created': 'date',
      'accounts.level': 'long',
      'accounts.accountAttributes.dept': 'text?',
      'apps.id': 'keyword',
      'apps.name': 'text',
    },
    NESTED,
  ),
  constants: { _type: 'identity', org: 'acme' },
};

export const WORDS = [
  'ada',
  'adam',
  'adan',
  'bob',
  'bobby',
  'Émile',
  'ﬁ',
  'x1',
  'the',
  'Ωmega',
  'İz',
  'ΣΑΣ',
];
export const KEYS = [
  'Active',
  'active',
  'ACTIVE',
  'on hold',
  '',
  'Zoë',
  '\u{1f600}',
  '\uffee',
  'a*b?c',
  'x.y',
];
export const DATES = [
  '2024-01-01',
  '2024-05-31T10:00:00Z',
  '1969-12-31T23:59:59.999Z',
  '2024-05-31',
];
export const NUMBERS = [-3, 0, 1, 2, 7, 7.5, 10_000_000_000];

export function randomText(random: Random): string {
  if (random.chance(0.05)) return '';
  const few = random.chance(0.2);
  return random
    .list(1, few ? 9 : 6, () => random.pick(few ? ['ada', 'bob', 'the'] : WORDS))
    .join(random.pick([' ', ' ', '-', ', ', '_']));
}

/** One value, several, none, or null. */
function some(random: Random, make: () => unknown): unknown {
  const dice = random.int(12);
  if (dice === 0) return null;
  if (dice === 1) return [];
  if (dice === 2) return [null, make()];
  if (dice < 5) return random.list(1, 3, make);
  return make();
}

export function randomDocument(random: Random, id: string): PlainDocument {
  const document: Record<string, unknown> = { id };
  const put = (target: Record<string, unknown>, name: string, make: () => unknown): void => {
    if (random.chance(0.75)) target[name] = some(random, make);
  };
  const text = () => randomText(random);
  const key = () => random.pick(KEYS);
  const date = () => random.pick<unknown>([...DATES, ...DATES, 'never', 86_400_000]);
  const number = () => random.pick<unknown>([...NUMBERS, '12', 'many']);
  const flag = () => random.pick<unknown>([true, false, 'true']);
  put(document, 'name', text);
  put(document, 'displayName', text);
  put(document, 'tags', text);
  put(document, 'status', key);
  if (random.chance(0.3)) document['codes'] = random.list(0, 4, key);
  put(document, 'created', date);
  put(document, 'count', number);
  put(document, 'ratio', number);
  put(document, 'active', flag);
  if (random.chance(0.5)) document['manager'] = random.chance(0.2) ? null : { name: text() };
  const attributes: Record<string, unknown> = {};
  put(attributes, 'city', text);
  put(attributes, 'end', () => random.pick<unknown>([...DATES, '7', '-2.5', 'soon', 3, true]));
  put(attributes, 'level', number);
  put(attributes, 'unknown', text);
  document['attributes'] = attributes;
  if (random.chance(0.8)) {
    document['accounts'] = random.list(0, 4, () => {
      const account: Record<string, unknown> = {};
      put(account, 'id', key);
      put(account, 'name', text);
      put(account, 'source', () => ({ name: text() }));
      put(account, 'disabled', flag);
      put(account, 'created', date);
      put(account, 'level', number);
      if (random.chance(0.5)) account['accountAttributes'] = { dept: some(random, text) };
      return account;
    });
  }
  if (random.chance(0.5)) document['apps'] = random.list(0, 3, () => ({ id: key(), name: text() }));
  return document as PlainDocument;
}
