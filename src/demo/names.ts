// The name of the n-th person. The pairs of given and family name of each origin are shuffled once
// and used in turn; later rounds add a middle initial, then a number, so used names need not be
// stored.
// Invariant: different n have different logins.
import { plainLetters } from '../query/analysis/plain-letters.ts';
import { ORIGINS } from './name-tables.ts';
import { at, Random } from './random.ts';

/** The name of a person. */
export interface PersonName {
  readonly first: string;
  readonly last: string;
  /** Display name: `Mira Solano`, `John B. Smith`, `王伟`. */
  readonly display: string;
  /** Unique, a-z, digits, dot and hyphen: `mira.solano`. */
  readonly login: string;
}

interface Spelling {
  readonly shown: string;
  readonly latin: string;
  readonly login: string;
  readonly native: boolean;
}

interface Pair {
  readonly given: Spelling;
  readonly family: Spelling;
  readonly familyFirst: boolean;
}

/** Reduces a name to the letters of its login. */
export function loginLetters(name: string): string {
  return plainLetters(name).replace(/[^a-z-]/g, '');
}

function spelling(entry: string): Spelling {
  const [shown = entry, latin = shown] = entry.split('=');
  return { shown, latin, login: loginLetters(latin), native: shown !== latin };
}

/** The spellings of one origin whose login letters no earlier origin uses. */
function unusedSpellings(entries: readonly string[], used: Set<string>): Spelling[] {
  return entries.map(spelling).filter((entry) => {
    if (used.has(entry.login)) return false;
    used.add(entry.login);
    return true;
  });
}

/** Generates names for a company of any size. */
export class Names {
  readonly #pairs: readonly Pair[];

  constructor(seed: number) {
    const usedGiven = new Set<string>();
    const usedFamily = new Set<string>();
    const pairs = ORIGINS.flatMap((origin) => {
      const given = unusedSpellings(origin.given, usedGiven);
      const family = unusedSpellings(origin.family, usedFamily);
      return given.flatMap((first) =>
        family.map((last) => ({ given: first, family: last, familyFirst: origin.familyFirst })),
      );
    });
    this.#pairs = shuffled(pairs, new Random(seed, 'shuffle', 0));
  }

  name(n: number): PersonName {
    const { given, family, familyFirst } = at(this.#pairs, n);
    const round = Math.floor(n / this.#pairs.length);
    const native = given.native && family.native;
    const first = native ? given.shown : given.latin;
    const last = native ? family.shown : family.latin;
    const plain = `${given.login}.${family.login}`;
    if (native) {
      const display = familyFirst ? `${last}${first}` : `${first} ${last}`;
      return { first, last, display, login: round === 0 ? plain : `${plain}${round + 1}` };
    }
    if (round === 0) return { first, last, display: `${first} ${last}`, login: plain };
    const initial = String.fromCharCode(65 + ((round - 1) % 26));
    const repetition = Math.floor((round - 1) / 26);
    return {
      first,
      last,
      display: `${first} ${initial}. ${last}`,
      login: `${given.login}.${initial.toLowerCase()}.${family.login}${repetition === 0 ? '' : repetition + 1}`,
    };
  }
}

/** Fisher-Yates shuffle. */
function shuffled<T>(list: readonly T[], random: Random): T[] {
  const copy = [...list];
  for (let last = copy.length - 1; last > 0; last -= 1) {
    const other = random.below(last + 1);
    const swapped = at(copy, last);
    copy[last] = at(copy, other);
    copy[other] = swapped;
  }
  return copy;
}
