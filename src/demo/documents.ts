// Generates a realistic company as a stream of search documents: first the catalogue of access,
// then each identity with its activities and events. Seed and reference date are arguments; only
// the catalogue grows with the company.
// Invariant: the same options give the same documents in the same order, byte for byte as JSON.
import { AccessDocuments } from './access-documents.ts';
import { ActivityDocuments } from './activity-document.ts';
import { Catalogue, catalogueSize } from './catalogue.ts';
import { Company } from './company.ts';
import { EventDocuments } from './event-document.ts';
import { IdentityDocuments } from './identity-document.ts';
import { Ownership } from './ownership.ts';
import { People } from './person.ts';
import { IDENTITIES_MOST } from './sizes.ts';

export interface DemoOptions {
  /** 32-bit integer. */
  readonly seed: number;
  /** At least 1, at most 1,000,000. */
  readonly identities: number;
  /**
   * The reference date, epoch milliseconds; only ends of contracts and starts of people are later.
   */
  readonly now: number;
}

/**
 * One identity in ten has an account activity; every second one has an event, one in five of an
 * activity.
 */
const TEN = 10;
const ACTIVITY_DIGIT = 3;
const ACTIVITY_EVENT_DIGIT = 4;

/** The number of documents that `demoDocuments` yields. */
export function demoDocumentCount(identities: number): number {
  const { entitlements, accessProfiles, roles } = catalogueSize(identities);
  const events = Math.ceil(identities / 2);
  const activities = Math.floor((identities - 1 - ACTIVITY_DIGIT) / TEN) + 1;
  return entitlements + accessProfiles + roles + identities + events + activities;
}

/**
 * Generates the documents of the six types, with `_type` but without the members that depend on the
 * tenant.
 * @throws RangeError if the number of identities is out of range
 */
export function* demoDocuments(options: DemoOptions): Generator<Record<string, unknown>> {
  const { seed, identities, now } = options;
  if (!Number.isInteger(identities) || identities < 1 || identities > IDENTITIES_MOST) {
    throw new RangeError(`identities must be a whole number from 1 to ${IDENTITIES_MOST}`);
  }
  const company = new Company(seed, identities);
  const people = new People(company, now);
  const catalogue = new Catalogue(people);
  const makeIdentities = new IdentityDocuments(
    people,
    catalogue,
    new Ownership(company, catalogue),
  );
  const makeActivities = new ActivityDocuments(people, catalogue);
  const makeEvents = new EventDocuments(people, catalogue);

  yield* new AccessDocuments(people, catalogue).documents();
  for (let n = 0; n < identities; n += 1) {
    yield makeIdentities.document(people.person(n));
    const digit = n % TEN;
    if (digit === ACTIVITY_DIGIT) yield makeActivities.document(makeActivities.facts(n));
    if (digit % 2 === 0) {
      const activity = digit === ACTIVITY_EVENT_DIGIT ? makeActivities.facts(n - 1) : null;
      yield makeEvents.document(n, activity);
    }
  }
}
