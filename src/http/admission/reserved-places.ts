// Places for urgent requests, which revoke rights: the ordinary places of their kind and, when
// these are used up, a few that are reserved for urgent requests.
import type { ServerResponse } from 'node:http';
import type { EnterCallback, Places, PlacesOfRoute } from './places.ts';
import type { Party } from './shares.ts';

export class ReservedPlaces implements PlacesOfRoute {
  readonly #ordinary: Places;
  readonly #reserve: Places;

  /** @param reserve used only while it has room */
  constructor(ordinary: Places, reserve: Places) {
    this.#ordinary = ordinary;
    this.#reserve = reserve;
  }

  /** As Places.check. */
  check(party: Party): void {
    this.#placesFor(party).check(party);
  }

  /** As Places.enter. */
  enter(party: Party, response: ServerResponse, done: EnterCallback): void {
    this.#placesFor(party).enter(party, response, done);
  }

  /** If neither has room, the request waits for an ordinary place. */
  #placesFor(party: Party): Places {
    const takesReserve = !this.#ordinary.hasRoom(party) && this.#reserve.hasRoom(party);
    return takesReserve ? this.#reserve : this.#ordinary;
  }
}
