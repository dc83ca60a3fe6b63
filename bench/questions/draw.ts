// Draws values for questions. All values of a question come from documents, and those that a
// document must have to match come from one document, so that questions have hits.
// Invariant: the same seed and vocabulary give the same values.
import { Random } from '../../src/demo/random.ts';
import type { Access, Occurrence, Person, Vocabulary } from './vocabulary.ts';

const DAY_MS = 86_400_000;
/** Words that infixes are cut from. */
const ALPHABETIC = /^[\p{Script=Latin}]{3,}$/u;
const LETTERS = /\p{L}{3,}/gu;

export interface Days {
  /** ISO dates. */
  readonly from: string;
  readonly to: string;
}

export class Draw {
  readonly random: Random;
  readonly #vocabulary: Vocabulary;

  constructor(vocabulary: Vocabulary, seed: number) {
    this.#vocabulary = vocabulary;
    this.random = new Random(seed, 'shuffle', 0);
  }

  person(): Person {
    return this.random.pick(this.#vocabulary.people);
  }

  event(): Occurrence {
    return this.random.pick(this.#vocabulary.events);
  }

  access(person: Person): Access {
    return this.random.pick(person.access);
  }

  /** Two words of a person: one of the name, and one of the job or place. */
  twoWords(person: Person): readonly [string, string] {
    const { firstName, lastName, jobTitle, department, city } = person;
    const name = this.random.pick([firstName, lastName]);
    const words = `${jobTitle} ${department} ${city}`.match(LETTERS) ?? [];
    return [name.toLowerCase(), this.random.pick(words).toLowerCase()];
  }

  /** The start of a text, of `least` to `most` characters. */
  prefix(text: string, least: number, most: number): string {
    return text.toLowerCase().slice(0, least + this.random.below(most - least + 1));
  }

  /** The start of a login name, which may reach into the part after its dot. */
  namePrefix(name: string): string {
    return this.prefix(name, 2, 10).replace(/\.$/, '');
  }

  /** A part of a text, of `least` to `most` characters. */
  infix(text: string, least: number, most: number): string {
    const length = Math.min(text.length, least + this.random.below(most - least + 1));
    const start = this.random.below(text.length - length + 1);
    return text.toLowerCase().slice(start, start + length);
  }

  /** A word of a person's display name, in Latin script. */
  nameWord(): string {
    for (;;) {
      const words = this.person()
        .displayName.split(' ')
        .filter((word) => ALPHABETIC.test(word));
      if (words.length > 0) return this.random.pick(words);
    }
  }

  /** A range of 7 to 60 days around a moment. */
  daysAround(moment: number): Days {
    const start = moment - this.random.below(30) * DAY_MS;
    const end = Math.max(moment, start + (7 + this.random.below(54)) * DAY_MS);
    return { from: isoDate(start), to: isoDate(end + DAY_MS) };
  }
}

function isoDate(moment: number): string {
  return new Date(moment).toISOString().slice(0, 10);
}
