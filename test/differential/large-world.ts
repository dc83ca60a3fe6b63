// Worlds of hundreds or thousands of documents, for boundaries that small ones do not reach:
// postings of several blocks, documents and elements of several windows, positions of several
// pages, terms in most rows and in one row, runs of adjacent rows, ties. Documents are simple and
// have few fields, so that the naive evaluator is fast enough.
import type { Field, FieldType, Mapping } from '../../src/query/mapping/mapping.ts';
import { testMapping } from '../support/segments.ts';
import type { PlainDocument } from './naive.ts';
import type { Random } from './random.ts';
import type { Change, Step } from './random-history.ts';
import { COMMON_KEYS, COMMON_WORDS, DATES } from './random-text.ts';

/** A word in one document of a world. */
export const RARE_WORD = 'lovelace';

/** A word in a run of documents and in few others, so windows have very many or very few. */
export const CLUSTERED_WORD = 'cluster';

/** Number of documents of a world. */
export type Size = 'small' | 'medium' | 'large';

type Typed = FieldType | `${FieldType}?`;

const ROOT: Readonly<Record<string, readonly Typed[]>> = {
  name: ['text'],
  status: ['keyword', 'text'],
  codes: ['keyword'],
  count: ['long', 'double'],
  active: ['boolean'],
  created: ['date'],
  notes: ['text'],
  mark: ['text'],
  team: ['text'],
  'attributes.city': ['text?'],
};

const NESTED: Readonly<Record<string, readonly Typed[]>> = {
  'accounts.type': ['text'],
  'accounts.name': ['keyword', 'text'],
  'accounts.enabled': ['boolean'],
  'accounts.level': ['long', 'double'],
  'access.type': ['keyword'],
  'access.value': ['text'],
  'access.team': ['text'],
};

/** All values of the fields called `team`: some phrases are in several of them. */
const TEAMS: readonly string[] = ['ada bob', 'the ada bob', 'bob adam', 'ada the bob ada', 'bobby'];

export function largeMapping(random: Random): Mapping {
  const fields: Record<string, Typed> = { id: 'keyword' };
  for (const [name, types] of Object.entries({ ...ROOT, ...NESTED })) {
    fields[name] = random.pick(types);
  }
  return {
    ...testMapping(fields, ['accounts', 'access']),
    identifying: random.chance(0.7) ? [{ path: 'name', boost: 4 }] : [],
    constants: { _type: 'identity', org: 'Acme' },
  };
}

/**
 * Flushes most documents first and fewer later, merges, and optionally replaces or deletes some.
 */
export function largeSteps(random: Random, mapping: Mapping, change: Change, size: Size): Step[] {
  const count =
    size === 'large' ? 8_500 + random.int(1_500) : random.pick([300, 450, 700, 1_500, 2_500]);
  const make = documentMaker(random, mapping, count);
  const shares = random.pick([[1], [0.7, 0.3], [0.6, 0.25, 0.1, 0.05]]);
  const flushes: PlainDocument[][] = shares.map(() => []);
  for (let at = 0; at < count; at++) {
    const dice = random.next();
    let flush = 0;
    for (let sum = shares[0]!; dice >= sum && flush < shares.length - 1; sum += shares[flush]!) {
      flush += 1;
    }
    flushes[flush]!.push(make(at));
  }
  const steps: Step[] = flushes.map((puts) => ({ kind: 'flush', puts, deletes: [] }));
  if (change === 'often') {
    const some = () => random.list(1, count >> 4, () => random.int(count));
    const puts = new Map(some().map((at) => [at, make(at)]));
    const deletes = new Set(some().filter((at) => !puts.has(at)));
    const deleted = [...deletes].map((at) => idOf(at));
    steps.push({ kind: 'flush', puts: [...puts.values()], deletes: deleted });
  }
  if (random.chance(0.5))
    steps.push({
      kind: 'merge',
      parts: random.pick([
        [0, 1],
        [0, 1, 2],
        [1, 2],
      ]),
    });
  return steps;
}

/** Rows at which windows often start. */
const isBoundary = (at: number): boolean => at % 256 === 0;

/** Names of the rows at boundaries, in turn: some match all clauses of a query, some only one. */
const BOUNDARY_NAMES: readonly string[] = ['the ada bob', 'bob', 'ada', 'the ada'];

const isClustered = (at: number): boolean => (at >= 300 && at < 900) || isBoundary(at);

const idOf = (at: number): string => `d${String(at).padStart(5, '0')}`;

/**
 * Creates the document with a number; its values depend on the number, so neighbours are similar.
 */
function documentMaker(
  random: Random,
  mapping: Mapping,
  count: number,
): (at: number) => PlainDocument {
  const runLength = random.pick([1, 7, 40, 300]);
  const rareFrom = random.int(count);
  const only = random.int(count);
  const teams = random.chance(0.3) ? [...TEAMS, ['ada bob', 'ada bob']] : TEAMS;
  const words = wordMaker(random);
  const elements = (path: string, most: number, at: number) =>
    random.list(0, most, () => element(random, mapping, path, at, runLength, words));
  return (at) => {
    const run = Math.floor(at / runLength);
    const inRare = at >= rareFrom && at < rareFrom + 90;
    const name = [
      BOUNDARY_NAMES[isBoundary(at) ? (at >> 8) % 4 : -1] ?? words(1, 5),
      inRare ? 'adam' : '',
      at === only ? RARE_WORD : '',
      isClustered(at) ? CLUSTERED_WORD : '',
    ]
      .join(' ')
      .trim();
    return {
      id: idOf(at),
      name,
      mark: at % 2 === 0 ? 'even stone' : 'odd stone',
      team: random.pick<unknown>(teams),
      status: COMMON_KEYS[run % COMMON_KEYS.length],
      ...(random.chance(0.9) && { count: random.int(5) }),
      ...(random.chance(0.9) && { active: random.chance(0.8) }),
      ...(random.chance(0.5) && { codes: random.list(1, 3, () => `c${random.int(400)}`) }),
      ...(random.chance(0.6) && { created: random.pick(DATES) }),
      ...(random.chance(0.3) && { notes: words(10, 60) }),
      ...(random.chance(0.4) && { attributes: { city: words(1, 1) } }),
      accounts: elements('accounts', 4, at),
      ...(random.chance(0.5) && { access: elements('access', 3, at) }),
    };
  };
}

function element(
  random: Random,
  { fields }: Mapping,
  path: string,
  at: number,
  runLength: number,
  words: (min: number, max: number) => string,
): object {
  const made: Record<string, unknown> = {};
  const own = [...fields.values()].filter(({ nested }) => nested === path);
  for (const field of own) {
    if (random.chance(0.85))
      made[field.path.slice(path.length + 1)] = value(random, field, at, runLength, words);
  }
  return made;
}

function value(
  random: Random,
  { path, type }: Field,
  at: number,
  runLength: number,
  words: (min: number, max: number) => string,
): unknown {
  if (path === 'access.team') return random.pick(TEAMS);
  switch (type) {
    case 'boolean':
      return Math.floor(at / runLength) % 3 === 0;
    case 'long':
    case 'double':
      return random.int(4);
    case 'keyword':
      return random.pick(COMMON_KEYS);
    default:
      return words(1, 4);
  }
}

/** Texts of common words; `the` is in more than half of them. */
function wordMaker(random: Random): (min: number, max: number) => string {
  const word = () => random.pick(random.chance(0.6) ? ['the', 'the', 'ada', 'bob'] : COMMON_WORDS);
  return (min, max) => random.list(min, max, word).join(' ');
}
