// Places for urgent requests, which take rights away: those of other requests of their kind and, when these are used up, a few
// that are kept for urgent requests alone.
import type { ServerResponse } from 'node:http';
import type { Entered, Places, PlacesOfRoute } from './places.ts';
import type { Party } from './shares.ts';

export class ReservedPlaces implements PlacesOfRoute {
  readonly #ordinary: Places;
  readonly #reserve: Places;

  /** @param reserve a request enters it only where it has room */
  constructor(ordinary: Places, reserve: Places) {
    this.#ordinary = ordinary;
    this.#reserve = reserve;
  }

  /** As Places.check. */
  check(party: Party): void {
    this.#placesFor(party).check(party);
  }

  /** As Places.enter. */
  enter(party: Party, response: ServerResponse, done: Entered): void {
    this.#placesFor(party).enter(party, response, done);
  }

  /** Where neither has room the request waits among the ordinary ones. */
  #placesFor(party: Party): Places {
    const takesReserve = !this.#ordinary.hasRoom(party) && this.#reserve.hasRoom(party);
    return takesReserve ? this.#reserve : this.#ordinary;
  }
}
