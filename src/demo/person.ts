// Identity n as a person: the name, place, title and dates that documents, accounts, events and
// auth users share.
import { type Company, type Dates, datesOf, jobTitle, type Seat } from './company.ts';
import {
  CONTRACTOR_REGISTER,
  DIRECTORY,
  DIRECTORY_ROOT,
  DOMAIN,
  INTERNAL,
  PLACES,
  type Place,
  SERVICES,
  STAFF_REGISTER,
} from './company-tables.ts';
import { Names, type PersonName } from './names.ts';
import { at, Ids, Random } from './random.ts';

/** A reference in a document. */
export interface Reference {
  readonly id: string;
  readonly name: string;
}

export interface DisplayReference extends Reference {
  readonly displayName: string;
}

export interface Person {
  readonly id: string;
  readonly seat: Seat;
  readonly name: PersonName;
  readonly email: string;
  readonly number: string;
  readonly place: Place;
  readonly phone: string;
  readonly title: string;
  readonly dates: Dates;
  readonly locked: boolean;
  /** The rest of the person's random sequence. */
  readonly random: Random;
}

/** The people of a company, each generated on its own by number. */
export class People {
  readonly company: Company;
  readonly now: number;
  readonly #ids: Ids;
  readonly #names: Names;

  constructor(company: Company, now: number) {
    this.company = company;
    this.now = now;
    this.#ids = new Ids(company.seed, 'identity');
    this.#names = new Names(company.seed);
  }

  id(n: number): string {
    return this.#ids.id(n);
  }

  /** Generates only the reference, which is cheaper than the person. */
  reference(n: number): DisplayReference {
    const name = this.#nameOf(this.company.seat(n));
    return { id: this.#ids.id(n), name: name.login, displayName: name.display };
  }

  person(n: number): Person {
    const seat = this.company.seat(n);
    const name = this.#nameOf(seat);
    const random = new Random(this.company.seed, 'item', n);
    const dates = datesOf(seat, random, this.now);
    const place = placeOf(seat, random);
    const digits = String(random.below(10_000_000)).padStart(7, '0');
    return {
      id: this.#ids.id(n),
      seat,
      name,
      email: `${name.login}@${DOMAIN}`,
      number: String(100_000 + n),
      place,
      phone: `${place.dial} ${digits.slice(0, 3)} ${digits.slice(3)}`,
      title: jobTitle(seat, random),
      dates,
      locked: random.chance(0.01),
      random,
    };
  }

  #nameOf({ n, employment, part }: Seat): PersonName {
    if (employment !== 'service') return this.#names.name(n);
    const login =
      part === 'orphan' ? `mf${70_000 + n}` : `svc-${at(SERVICES, n)}-${n.toString(36)}`;
    return { first: '', last: '', display: login, login };
  }
}

/** Teams are mostly at one place. */
function placeOf(seat: Seat, random: Random): Place {
  const home = seat.departmentNumber * 5 + Math.floor(seat.local / 40);
  return random.chance(0.6) ? at(PLACES, Math.max(home, 0)) : random.pick(PLACES);
}

/** The name of the person's account in a source. */
export function accountName(sourceNumber: number, person: Person): string {
  switch (sourceNumber) {
    case DIRECTORY: {
      const unit = person.seat.employment === 'service' ? 'Services' : person.seat.department.name;
      return `CN=${person.name.login},OU=${unit},OU=People,${DIRECTORY_ROOT}`;
    }
    case STAFF_REGISTER:
    case CONTRACTOR_REGISTER:
      return person.number;
    case INTERNAL:
      return person.name.login;
    default:
      return sourceNumber % 2 === 0 && person.seat.part !== 'orphan'
        ? person.email
        : person.name.login;
  }
}
