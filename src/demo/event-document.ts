// Events of the audit trail. An event that belongs to an account activity shares its tracking number.
// Invariant: technicalName is objects, operation and status joined by underscores, as the public service forms it.

import type { Happening } from './activity-document.ts';
import type { Catalogue } from './catalogue.ts';
import type { People } from './person.ts';
import { at, Ids, Random } from './random.ts';

const DAY = 86_400_000;

type Document = Record<string, unknown>;

interface EventKind {
  readonly type: string;
  readonly action: string;
  readonly objects: readonly string[];
  readonly operation: string;
  /** Who did it: the person, the manager, or the service itself. */
  readonly actor: 'self' | 'manager' | 'System';
  readonly interactive: boolean;
  /** Of a hundred, how many. */
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

/** Makes events. */
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
   * The n-th event.
   * @param happening the activity it tells of; null for one that stands alone
   */
  document(n: number, happening: Happening | null): Document {
    const random = new Random(this.#people.company.seed, 'event', n);
    const what = happening === null ? random.pick(DRAW) : PROVISIONED;
    const failed = happening === null ? random.chance(0.08) : happening.outcome.error !== null;
    const status = failed ? 'FAILED' : 'PASSED';
    const targetNumber = happening === null ? n : happening.person.seat.n;
    const target = this.#people.reference(targetNumber);
    const created =
      happening === null
        ? this.#people.now - Math.floor(540 * DAY * random.cubed()) - 60_000
        : happening.modified;
    // Activities number from 0 up, so an event's own tracking numbers run the other way.
    const trackingNumber = happening?.trackingNumber ?? this.#trackingIds.id(-1 - n);
    return {
      _type: 'event',
      id: this.#ids.id(n),
      name: title(`${what.operation} ${what.objects.join(' ')} ${status}`),
      created: new Date(created).toISOString(),
      synced: new Date(
        Math.min(created + 800 + random.below(4000), this.#people.now),
      ).toISOString(),
      action: what.action,
      type: what.type,
      actor: { name: this.#actor(what, targetNumber) },
      target: { name: target.name },
      stack: what.interactive ? 'sp-gateway' : 'provisioning',
      trackingNumber,
      ...(what.interactive ? { ipAddress: address(random) } : {}),
      details: this.#detailIds.id(2_000_000_000 - n),
      attributes: this.#attributes(what, happening, target.name, random, failed),
      objects: what.objects,
      operation: what.operation,
      status,
      technicalName: `${what.objects.join('_')}_${what.operation}_${status}`,
    };
  }

  #actor(what: EventKind, n: number): string {
    if (what.actor === 'System') return 'System';
    const number = what.actor === 'self' ? n : (this.#people.company.seat(n).managerNumber ?? 0);
    return this.#people.reference(number).name;
  }

  #attributes(
    what: EventKind,
    happening: Happening | null,
    login: string,
    random: Random,
    failed: boolean,
  ): Document {
    const error = failed ? { error: 'The source did not answer in time.' } : {};
    if (what.type === 'AUTH') return { userAgent: 'Browser', info: 'PASSWORD', ...error };
    if (happening === null) {
      const { reference } = random.pick(this.#catalogue.sources);
      return { sourceName: reference.name, sourceId: reference.id, accountName: login, ...error };
    }
    const { entitlement, add } = happening;
    return {
      sourceName: entitlement.source.reference.name,
      sourceId: entitlement.source.reference.id,
      accountName: login,
      attributeName: entitlement.attribute,
      attributeValue: entitlement.value,
      operation: add ? 'Add' : 'Remove',
      interface: happening.action,
      ...error,
    };
  }
}

/** `SIGN_OFF CERTIFICATION PASSED` as `Sign Off Certification Passed`. */
function title(text: string): string {
  return text
    .split(/[ _]/)
    .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    .join(' ');
}

/** From the ranges that RFC 5737 keeps for documentation. */
function address(random: Random): string {
  const network = random.pick(['192.0.2', '198.51.100', '203.0.113']);
  return `${network}.${1 + random.below(254)}`;
}
