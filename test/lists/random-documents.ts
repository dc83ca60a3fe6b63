// Random documents for the lists: values that are missing, repeated, empty or hard to compare.
import type { Random } from '../differential/random.ts';

export type Document = Readonly<Record<string, unknown>>;

const NAMES = [
  'ann',
  'Ann',
  'anna',
  'bo*b',
  'bo?b',
  'ANN',
  'zoë',
  'ZOË',
  'Zoe',
  'Ωmega',
  'ωMEGA',
  'ΣΑΣ',
  'σας',
  'İx',
  'straße',
  'x "y" \\ z',
  "o'neil",
  '',
  ' ',
];
const WORDS = ['active', 'Active', 'ACTIVE', 'group', 'role', 'Payroll', 'pay', 'HR'];
const DATES = ['2026-01-31T10:00:00Z', '2026-02-01T00:00:00.000Z', '2025-12-31T23:59:59.999Z'];

/** Makes documents of all types that lists are answered from. */
export class ListedDocuments {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  identity(id: string): Document {
    const random = this.#random;
    return this.#some({
      _type: 'identity',
      id,
      name: `${this.#name()}-${id}`,
      displayName: this.#name(),
      firstName: this.#name(),
      lastName: this.#name(),
      email: `${id}@example.com`,
      status: this.#word(),
      created: this.#date(),
      modified: this.#date(),
      processingState: random.pick(['OK', 'ERROR']),
      protected: random.chance(0.5),
      isManager: random.chance(0.5),
      manager: { id: 'i0', name: 'boss', displayName: 'The Boss' },
      source: this.#source(),
      visibleSegments: ['seg-1'],
      attributes: this.#some({
        uid: this.#name(),
        identityState: random.pick(['ACTIVE', 'INACTIVE_LONG_TERM']),
        cloudLifecycleState: this.#word(),
        department: this.#word(),
      }),
      accounts: this.#many(4, (n) => this.#account(`${id}-a${n}`)),
      access: this.#many(3, (n) => ({
        id: `r${random.int(4)}`,
        type: n === 2 ? 'ENTITLEMENT' : 'ROLE',
        name: this.#word(),
      })),
    });
  }

  role(id: string): Document {
    return this.#some({
      ...this.#accessItem('role', id),
      dimensional: this.#random.chance(0.5),
      accessProfiles: [{ id: 'p1', name: 'p' }],
      entitlements: this.#many(5, (n) => ({
        id: `e${n}`,
        name: this.#name(),
        value: this.#word(),
      })),
    });
  }

  accessProfile(id: string): Document {
    return this.#some({ ...this.#accessItem('accessprofile', id), source: this.#source() });
  }

  entitlement(id: string): Document {
    return this.#some({
      _type: 'entitlement',
      id,
      name: this.#name(),
      attribute: this.#word(),
      value: this.#name(),
      schema: this.#word(),
      sourceSchemaObjectType: this.#word(),
      description: this.#name(),
      source: this.#source(),
      requestable: this.#random.chance(0.5),
      privileged: this.#random.chance(0.5),
      created: this.#date(),
      modified: this.#date(),
      segments: this.#many(2, (n) => ({ id: `seg-${n}`, name: 's' })),
    });
  }

  activity(id: string): Document {
    return this.#some({
      _type: 'accountactivity',
      id,
      action: this.#random.pick([this.#word(), this.#word(), 'Access Request']),
      status: 'Complete',
      stage: 'Completed',
      created: this.#date(),
      modified: this.#date(),
      requester: { id: `i${this.#random.int(5)}`, name: 'r', type: 'IDENTITY' },
      recipient: { id: `i${this.#random.int(5)}`, name: 'r', type: 'IDENTITY' },
      errors: [],
      warnings: 'one',
    });
  }

  #account(id: string): Document {
    const random = this.#random;
    return this.#some({
      id,
      name: this.#name(),
      accountId: this.#name(),
      source: this.#source(),
      disabled: random.chance(0.5),
      locked: random.chance(0.5),
      manuallyCorrelated: random.chance(0.5),
      created: this.#date(),
      accountAttributes: { mail: this.#name() },
      entitlementAttributes: random.pick([{}, { groups: [this.#word()] }, { roles: [] }]),
    });
  }

  #accessItem(type: string, id: string): Document {
    return {
      _type: type,
      id,
      name: this.#name(),
      description: this.#name(),
      created: this.#date(),
      modified: this.#date(),
      enabled: this.#random.chance(0.5),
      requestable: this.#random.chance(0.5),
      requestCommentsRequired: false,
      owner: { id: `i${this.#random.int(3)}`, name: 'o' },
      segments: this.#many(2, (n) => ({ id: `seg-${n}`, name: 's' })),
    };
  }

  #source(): Document {
    const n = this.#random.int(4);
    return { id: `src${n}`, name: WORDS[n] ?? '' };
  }

  /** The members, of which each but the ids may be missing. */
  #some(members: Document): Document {
    const kept = Object.entries(members).filter(
      ([name]) => ['_type', 'id'].includes(name) || !this.#random.chance(0.15),
    );
    return Object.fromEntries(kept);
  }

  #many(most: number, make: (n: number) => Document): Document[] {
    return Array.from({ length: this.#random.int(most + 1) }, (_, n) => make(n));
  }

  #name = (): string => this.#random.pick(NAMES);
  #word = (): string => this.#random.pick(WORDS);
  #date = (): string => this.#random.pick(DATES);
}

/** Documents of all types. */
export function listedDocuments(random: Random): Document[] {
  const made = new ListedDocuments(random);
  const many = (count: number, make: (n: number) => Document) =>
    Array.from({ length: count }, (_, n) => make(n));
  return [
    ...many(60, (n) => made.identity(`i${n}`)),
    ...many(25, (n) => made.role(`r${n}`)),
    ...many(25, (n) => made.accessProfile(`p${n}`)),
    ...many(25, (n) => made.entitlement(`e${n}`)),
    ...many(25, (n) => made.activity(`t${n}`)),
  ];
}
