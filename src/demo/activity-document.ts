// Account activities: changes of the access of people. Each activity has one event with the same
// tracking number.
// Invariant: values in attribute requests are strings, since one client decodes nothing else.
import type { Entitlement } from './access.ts';
import type { Catalogue } from './catalogue.ts';
import { type Holdings, holdingsOf } from './holdings.ts';
import { accountName, type People, type Person } from './person.ts';
import { at, Ids, Random } from './random.ts';

const DAY = 86_400_000;

type Document = Record<string, unknown>;

/** The facts of an activity, shared with its event. */
export interface ActivityFacts {
  readonly person: Person;
  readonly entitlement: Entitlement;
  readonly add: boolean;
  readonly trackingNumber: string;
  readonly action: string;
  readonly requester: number;
  readonly approver: number;
  readonly outcome: Outcome;
  readonly created: number;
  readonly modified: number;
}

interface Outcome {
  readonly status: string;
  readonly stage: string;
  readonly approval: string;
  readonly result: string;
  readonly error: string | null;
}

const DONE: Outcome = {
  status: 'Complete',
  stage: 'Completed',
  approval: 'Approved',
  result: 'Committed',
  error: null,
};
const OUTCOMES: readonly Outcome[] = [
  DONE,
  DONE,
  DONE,
  DONE,
  DONE,
  { status: 'Pending', stage: 'Approval', approval: 'Pending', result: 'Queued', error: null },
  { status: 'Complete', stage: 'Completed', approval: 'Rejected', result: 'Rejected', error: null },
  {
    status: 'Failure',
    stage: 'Completed',
    approval: 'Approved',
    result: 'Failed',
    error: 'The source did not answer in time.',
  },
];
const REMARKS: readonly string[] = [
  'Needed for the quarter end.',
  'Covers for a colleague on leave.',
  'New project, approved by the steering group.',
  'Temporary; please review in three months.',
];

/** One activity in four has a ticket. */
const TICKET_EVERY = 4;

/** Generates account activities. */
export class ActivityDocuments {
  readonly #people: People;
  readonly #catalogue: Catalogue;
  readonly #ids: Ids;
  readonly #trackingIds: Ids;
  readonly #itemIds: Ids;

  constructor(people: People, catalogue: Catalogue) {
    const { seed } = people.company;
    this.#people = people;
    this.#catalogue = catalogue;
    this.#ids = new Ids(seed, 'activity');
    this.#trackingIds = new Ids(seed, 'tracking');
    this.#itemIds = new Ids(seed, 'item');
  }

  /** The facts of the activity of identity n; every call returns the same. */
  facts(n: number): ActivityFacts {
    const { seed } = this.#people.company;
    const person = this.#people.person(n);
    const random = new Random(seed, 'activity', n);
    const holdings = holdingsOf(this.#catalogue, person, seed);
    const manager = person.seat.managerNumber ?? 0;
    const byManager = random.chance(0.4);
    const created = this.#people.now - Math.floor(540 * DAY * random.squared()) - DAY / 24;
    const add = holdings.entitlements.length > 0;
    return {
      person,
      entitlement: this.#entitlementOf(person, holdings, random),
      add,
      trackingNumber: this.#trackingIds.id(n),
      action: random.chance(0.7) ? 'Access Request' : 'Identity Refresh',
      requester: byManager ? manager : n,
      approver: manager,
      outcome: random.pick(OUTCOMES),
      created,
      modified: created + random.below(DAY / 24),
    };
  }

  document(facts: ActivityFacts): Document {
    const { person, entitlement, outcome, action } = facts;
    const { n } = person.seat;
    const source = { ...entitlement.source.reference, type: entitlement.source.type };
    const account = {
      accountId: accountName(entitlement.source.number, person),
      accountUuid: `{${this.#itemIds.id(n)}}`,
    };
    const request = {
      name: entitlement.attribute,
      op: facts.add ? 'Add' : 'Remove',
      value: entitlement.value,
    };
    const isRequest = action === 'Access Request';
    const modified = new Date(facts.modified).toISOString();
    return {
      _type: 'accountactivity',
      id: this.#ids.id(n),
      action,
      trackingNumber: facts.trackingNumber,
      created: new Date(facts.created).toISOString(),
      modified,
      synced: new Date(this.#people.now - 1000 - (n % 3_600_000)).toISOString(),
      stage: outcome.stage,
      status: outcome.status,
      requester: this.#identity(facts.requester),
      recipient: this.#identity(n),
      sources: entitlement.source.reference.name,
      errors: outcome.error === null ? [] : [outcome.error],
      warnings: [],
      approvals: isRequest
        ? [
            {
              comments: [
                {
                  comment: at(REMARKS, n),
                  commenter: this.#people.reference(facts.requester).name,
                  date: modified,
                },
              ],
              modified,
              owner: this.#identity(facts.approver),
              result: outcome.approval,
              attributeRequest: request,
              source,
              accountUuid: account.accountUuid,
            },
          ]
        : [],
      originalRequests: [
        {
          ...account,
          op: 'Modify',
          result: { status: outcome.result },
          attributeRequests: [request],
          source,
        },
      ],
      expansionItems: isRequest
        ? []
        : [
            {
              id: this.#itemIds.id(-1 - n),
              accountId: account.accountId,
              cause: 'Role',
              name: entitlement.attribute,
              state: 'EXECUTING',
              attributeRequest: request,
              source,
            },
          ],
      accountRequests: [
        {
          accountId: account.accountId,
          op: 'Modify',
          provisioningTarget: source,
          source,
          attributeRequests: [request],
          result: {
            status: outcome.result,
            errors: outcome.error === null ? [] : [outcome.error],
            // Some sources are changed by hand, after a ticket.
            ...(n % TICKET_EVERY === 3 ? { ticketId: `REQ${String(n).padStart(7, '0')}` } : {}),
          },
        },
      ],
    };
  }

  #entitlementOf(person: Person, holdings: Holdings, random: Random): Entitlement {
    if (holdings.entitlements.length > 0) return random.pick(holdings.entitlements);
    const offer = at(this.#catalogue.offers, person.seat.departmentNumber);
    return random.pick(offer.entitlements);
  }

  #identity(n: number): Document {
    const { id, name } = this.#people.reference(n);
    return { id, name, type: 'Identity' };
  }
}
