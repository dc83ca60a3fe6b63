// Events of the audit trail, under the names of the vendor's reference of audit events
// (test/docs/event-names.test.ts). The event of an account activity has its tracking number.
// Invariant: technicalName is objects, operation and status joined by underscores, as in the public
// service.

import type { ActivityFacts } from './activity-document.ts';
import type { Catalogue } from './catalogue.ts';
import { PAYROLL } from './company-tables.ts';
import type { People } from './person.ts';
import { at, Ids, Random } from './random.ts';

const DAY = 86_400_000;

type Document = Record<string, unknown>;

interface Outcome {
  readonly action: string;
  readonly objects: readonly string[];
  readonly operation: string;
  readonly status: string;
}

interface EventKind {
  readonly type: string;
  readonly passed: Outcome;
  /** null: it has no name for a failure, so it never fails. */
  readonly failed: Outcome | null;
  /** The actor: the person, the manager, or the service. */
  readonly actor: 'self' | 'manager' | 'System';
  /** Relative frequency, in per cent. */
  readonly weight: number;
}

/**
 * @param passed action, objects separated by commas, operation, and the status if it is not PASSED
 * @param failed the same of a failure, without what is as in `passed`; null: it never fails
 */
function kind(
  type: string,
  actor: EventKind['actor'],
  weight: number,
  passed: string,
  failed: string | null,
): EventKind {
  const [, objects = '', operation = ''] = passed.split(' ');
  const outcomeOf = (text: string, usual: string): Outcome => {
    const [action = '', own = objects, verb = operation, status = usual] = text.split(' ');
    return { action, objects: own.split(','), operation: verb, status };
  };
  return {
    ...{ type, actor, weight, passed: outcomeOf(passed, 'PASSED') },
    failed: failed === null ? null : outcomeOf(failed, 'FAILED'),
  };
}

const STEP_UP = 'USER_STEP_UP_AUTH USER,AUTHENTICATION,STEP_UP SETUP';
const PASSWORD = 'ACTION_PASSWORD_CHANGE_SUCCESS PASSWORD,ACTION CHANGE';
const APPROVED = 'ACCESS_REQUEST_APPROVED ACCESS REQUEST APPROVED';
const REJECTED = 'ACCESS_REQUEST_REJECTED ACCESS REQUEST REJECTED';
const PROCESSED = 'IDENTITY_PROCESSING_PASSED IDENTITY PROCESSING';
const AGGREGATED = 'SOURCE_ACCOUNT_AGGREGATION_PASSED SOURCE,ACCOUNT AGGREGATE';

const KINDS: readonly EventKind[] = [
  kind('AUTH', 'self', 26, 'AUTHENTICATION-103 AUTHENTICATION REQUEST', 'AUTHENTICATION-240'),
  kind('USER_MANAGEMENT', 'self', 5, STEP_UP, 'USER_STEP_UP_AUTH_FAILURE'),
  kind('PASSWORD_ACTIVITY', 'self', 9, PASSWORD, 'passwordChangeFailure PASSWORD'),
  kind('USER_MANAGEMENT', 'manager', 4, 'USER_UNLOCK USER UNLOCK', 'USER_UNLOCK_REJECTED'),
  kind('USER_MANAGEMENT', 'System', 3, 'USER_ACTIVATE USER ACTIVATE', null),
  kind('PROVISIONING', 'System', 14, 'ModifyAccount ACCOUNT MODIFY', 'ModifyAccountFailure'),
  kind('PROVISIONING', 'System', 7, 'CreateAccount ACCOUNT CREATE', 'CreateAccountFailure'),
  kind('PROVISIONING', 'System', 4, 'DisableAccount ACCOUNT DISABLE', 'DisableAccountFailure'),
  kind('ACCESS_ITEM', 'System', 9, 'AddEntitlement ENTITLEMENT ADD', 'AddEntitlementFailure'),
  kind(
    'ACCESS_ITEM',
    'System',
    4,
    'RemoveEntitlement ENTITLEMENT REMOVE',
    'RemoveEntitlementFailure',
  ),
  kind('ACCESS_REQUEST', 'manager', 5, APPROVED, REJECTED),
  kind('CERTIFICATION', 'manager', 3, 'CERTIFICATION_SIGN_OFF CERTIFICATION SIGN_OFF', null),
  kind('IDENTITY_PROCESSING', 'System', 4, PROCESSED, 'IDENTITY_PROCESSING_FAILED'),
  kind('SOURCE_MANAGEMENT', 'System', 3, AGGREGATED, 'SOURCE_ACCOUNT_AGGREGATION_FAILED'),
];
const DRAW: readonly EventKind[] = KINDS.flatMap((entry) =>
  Array<EventKind>(entry.weight).fill(entry),
);
const PROVISIONED = at(KINDS, 5);

/** Generates events. */
export class EventDocuments {
  readonly #people: People;
  readonly #catalogue: Catalogue;
  readonly #ids: Ids;
  readonly #detailIds: Ids;
  readonly #trackingIds: Ids;

  constructor(people: People, catalogue: Catalogue) {
    const { seed } = people.company;
    this.#people = people;
    this.#catalogue = catalogue;
    this.#ids = new Ids(seed, 'event');
    this.#detailIds = new Ids(seed, 'item');
    this.#trackingIds = new Ids(seed, 'tracking');
  }

  /**
   * Generates the n-th event.
   * @param activity its activity; null for an event without one
   */
  document(n: number, activity: ActivityFacts | null): Document {
    const random = new Random(this.#people.company.seed, 'event', n);
    const eventKind = activity === null ? random.pick(DRAW) : PROVISIONED;
    const fails = activity === null ? random.chance(0.08) : activity.outcome.error !== null;
    const outcome = (fails ? eventKind.failed : null) ?? eventKind.passed;
    const { action, objects, operation, status } = outcome;
    const interactive = eventKind.actor !== 'System';
    const targetNumber = activity === null ? n : activity.person.seat.n;
    const target = this.#people.reference(targetNumber);
    const created =
      activity === null
        ? this.#people.now - Math.floor(540 * DAY * random.cubed()) - 60_000
        : activity.modified;
    // Activities use numbers from 0 up, so other events use negative ones.
    const trackingNumber = activity?.trackingNumber ?? this.#trackingIds.id(-1 - n);
    return {
      _type: 'event',
      id: this.#ids.id(n),
      name: title(`${operation} ${objects.join(' ')} ${status}`),
      created: new Date(created).toISOString(),
      synced: new Date(
        Math.min(created + 800 + random.below(4000), this.#people.now),
      ).toISOString(),
      action,
      type: eventKind.type,
      actor: { name: this.#actor(eventKind, targetNumber) },
      target: { name: target.name },
      stack: interactive ? 'sp-gateway' : 'provisioning',
      trackingNumber,
      ...(interactive ? { ipAddress: address(random) } : {}),
      details: this.#detailIds.id(2_000_000_000 - n),
      attributes: this.#attributes(outcome, activity, target.name, random),
      objects,
      operation,
      status,
      technicalName: `${objects.join('_')}_${operation}_${status}`,
    };
  }

  #actor(eventKind: EventKind, n: number): string {
    if (eventKind.actor === 'System') return 'System';
    const number =
      eventKind.actor === 'self' ? n : (this.#people.company.seat(n).managerNumber ?? 0);
    return this.#people.reference(number).name;
  }

  #attributes(
    { objects, status }: Outcome,
    activity: ActivityFacts | null,
    login: string,
    random: Random,
  ): Document {
    const error = status === 'FAILED' ? { error: 'The source did not answer in time.' } : {};
    if (objects.includes('AUTHENTICATION'))
      return { userAgent: 'Browser', info: 'PASSWORD', ...error };
    if (activity === null) {
      // Any of the sources before the payroll.
      const { reference } = random.pick(this.#catalogue.sources.slice(0, PAYROLL));
      return { sourceName: reference.name, sourceId: reference.id, accountName: login, ...error };
    }
    const { entitlement, add } = activity;
    return {
      sourceName: entitlement.source.reference.name,
      sourceId: entitlement.source.reference.id,
      accountName: login,
      attributeName: entitlement.attribute,
      attributeValue: entitlement.value,
      operation: add ? 'Add' : 'Remove',
      interface: activity.action,
      ...error,
    };
  }
}

/** Formats `SIGN_OFF CERTIFICATION PASSED` as `Sign Off Certification Passed`. */
function title(text: string): string {
  return text
    .split(/[ _]/)
    .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    .join(' ');
}

/** An address from the ranges that RFC 5737 reserves for documentation. */
function address(random: Random): string {
  const network = random.pick(['192.0.2', '198.51.100', '203.0.113']);
  return `${network}.${1 + random.below(254)}`;
}
