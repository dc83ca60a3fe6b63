// Events of the audit trail. The event of an account activity has its tracking number.
// Invariant: technicalName is objects, operation and status joined by underscores, as in the public
// service.

import type { ActivityFacts } from './activity-document.ts';
import type { Catalogue } from './catalogue.ts';
import { PAYROLL } from './company-tables.ts';
import type { People } from './person.ts';
import { at, Ids, Random } from './random.ts';

const DAY = 86_400_000;

type Document = Record<string, unknown>;

interface EventKind {
  readonly type: string;
  readonly action: string;
  readonly objects: readonly string[];
  readonly operation: string;
  /** The actor: the person, the manager, or the service. */
  readonly actor: 'self' | 'manager' | 'System';
  readonly interactive: boolean;
  /** Relative frequency, in per cent. */
  readonly weight: number;
}

function kind(
  type: string,
  action: string,
  object: string,
  operation: string,
  actor: EventKind['actor'],
  weight: number,
): EventKind {
  return {
    type,
    action,
    objects: [object],
    operation,
    actor,
    interactive: actor !== 'System',
    weight,
  };
}

const KINDS: readonly EventKind[] = [
  kind('AUTH', 'AUTHENTICATION-103', 'AUTHENTICATION', 'REQUEST', 'self', 26),
  kind('AUTH', 'USER_STEP_UP_AUTH', 'USER_STEP_UP', 'AUTHENTICATE', 'self', 5),
  kind('PASSWORD_ACTIVITY', 'PasswordActionChange', 'PASSWORD_ACTION', 'CHANGE', 'self', 9),
  kind('USER_MANAGEMENT', 'USER_UNLOCK', 'USER', 'UNLOCK', 'manager', 4),
  kind('USER_MANAGEMENT', 'USER_ACTIVATE', 'USER', 'ACTIVATE', 'System', 3),
  kind('PROVISIONING', 'ModifyAccount', 'ACCOUNT', 'MODIFY', 'System', 14),
  kind('PROVISIONING', 'CreateAccount', 'ACCOUNT', 'CREATE', 'System', 7),
  kind('PROVISIONING', 'DisableAccount', 'ACCOUNT', 'DISABLE', 'System', 4),
  kind('ACCESS_ITEM', 'AddEntitlement', 'ENTITLEMENT', 'ADD', 'System', 9),
  kind('ACCESS_ITEM', 'RemoveEntitlement', 'ENTITLEMENT', 'REMOVE', 'System', 4),
  kind('ACCESS_REQUEST', 'AccessRequestApprove', 'ACCESS_REQUEST', 'APPROVE', 'manager', 5),
  kind('CERTIFICATION', 'CertificationSignOff', 'CERTIFICATION', 'SIGN_OFF', 'manager', 3),
  kind('IDENTITY_PROCESSING', 'LifecycleStateChange', 'LIFECYCLE_STATE', 'CHANGE', 'System', 4),
  kind(
    'SOURCE_MANAGEMENT',
    'SourceAccountAggregation',
    'ACCOUNT_AGGREGATION',
    'REQUEST',
    'System',
    3,
  ),
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
    const failed = activity === null ? random.chance(0.08) : activity.outcome.error !== null;
    const status = failed ? 'FAILED' : 'PASSED';
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
      name: title(`${eventKind.operation} ${eventKind.objects.join(' ')} ${status}`),
      created: new Date(created).toISOString(),
      synced: new Date(
        Math.min(created + 800 + random.below(4000), this.#people.now),
      ).toISOString(),
      action: eventKind.action,
      type: eventKind.type,
      actor: { name: this.#actor(eventKind, targetNumber) },
      target: { name: target.name },
      stack: eventKind.interactive ? 'sp-gateway' : 'provisioning',
      trackingNumber,
      ...(eventKind.interactive ? { ipAddress: address(random) } : {}),
      details: this.#detailIds.id(2_000_000_000 - n),
      attributes: this.#attributes(eventKind, activity, target.name, random, failed),
      objects: eventKind.objects,
      operation: eventKind.operation,
      status,
      technicalName: `${eventKind.objects.join('_')}_${eventKind.operation}_${status}`,
    };
  }

  #actor(eventKind: EventKind, n: number): string {
    if (eventKind.actor === 'System') return 'System';
    const number =
      eventKind.actor === 'self' ? n : (this.#people.company.seat(n).managerNumber ?? 0);
    return this.#people.reference(number).name;
  }

  #attributes(
    eventKind: EventKind,
    activity: ActivityFacts | null,
    login: string,
    random: Random,
    failed: boolean,
  ): Document {
    const error = failed ? { error: 'The source did not answer in time.' } : {};
    if (eventKind.type === 'AUTH') return { userAgent: 'Browser', info: 'PASSWORD', ...error };
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
