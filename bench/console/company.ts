// Values that interactions search for, drawn from the documents of the service by a seed.
// Invariant: each name is returned once, so no search repeats.
import { seededRandom } from '../../src/testing/seeded-random.ts';

/** An identity of the company. */
export interface Person {
  readonly id: string;
  readonly lastName: string;
  readonly displayName: string;
  /** Different for each person, so a search for later documents matches a random share of them. */
  readonly created: string;
  readonly attributes: {
    readonly city: string;
    readonly department: string;
    readonly jobTitle: string;
  };
}

/** Calls the service as an administrator. */
export type Call = (method: 'GET' | 'POST', path: string, body?: unknown) => Promise<unknown>;

/** Active people with accounts and access, and no service accounts, which have no names. */
const PEOPLE =
  'NOT inactive:true AND @access(id:*) AND @accounts(id:*) AND lastName:* AND attributes.city:* AND attributes.department:* AND attributes.jobTitle:*';

/** The people of a company, in random order. */
export class Company {
  readonly #call: Call;
  readonly #random: () => number;
  readonly #drawn = new Set<string>();

  constructor(call: Call, seed: number) {
    this.#call = call;
    this.#random = seededRandom(seed);
  }

  /** A number from 0 to below `count`. */
  number(count: number): number {
    return Math.floor(this.#random() * count);
  }

  one<T>(values: readonly T[]): T {
    const value = values[this.number(values.length)];
    if (value === undefined) throw new Error('There is no value to choose');
    return value;
  }

  /** A random person whose name was not returned before. */
  async person(): Promise<Person> {
    for (;;) {
      // Ids are random, so the first one after a random text is a random one.
      const after = Array.from({ length: 8 }, () => this.number(16).toString(16)).join('');
      const [person] = (await this.#call('POST', '/v2024/search?limit=1', {
        indices: ['identities'],
        query: { query: PEOPLE },
        sort: ['id'],
        searchAfter: [after],
        queryResultFilter: { includes: ['id', 'lastName', 'displayName', 'created', 'attributes'] },
      })) as Person[];
      if (person === undefined || this.#drawn.has(person.displayName)) continue;
      this.#drawn.add(person.displayName);
      return person;
    }
  }

  call(method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown> {
    return this.#call(method, path, body);
  }
}
