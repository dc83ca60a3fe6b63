// What clients wrote and were told: every write has a name of its own by which it is found in the store and in the trail
// afterwards. A document is written once, under an id that nobody else has; a change of an auth user sets a set of levels
// that he never had before.
// Invariant: a write is noted before it is sent.

/** `kept`: acknowledged; `unknown`: no answer, or one that leaves open whether it was kept. */
export type Outcome = 'kept' | 'unknown';

export interface Change {
  readonly userId: string;
  /** Which levels, one bit each. */
  readonly levels: number;
  outcome: Outcome;
}

/** Levels that go together; a set of them is a number. */
const LEVELS = [
  'CERT_ADMIN',
  'CLOUD_GOV_ADMIN',
  'CLOUD_GOV_USER',
  'HELPDESK',
  'POLICY_ADMIN',
  'REPORT_ADMIN',
  'ROLE_ADMIN',
  'SAAS_MANAGEMENT_ADMIN',
  'SAAS_MANAGEMENT_READER',
  'das:ui-administrator',
  'das:ui-auditor',
  'das:ui-compliance_manager',
  'sp:aic-dashboard-read',
  'sp:aic-dashboard-write',
  'sp:ui-config-hub-read',
];

export class Ledger {
  /** Outcomes by the id of the document. */
  readonly documents = new Map<string, Outcome>();
  /** In the order they were sent, for each user. */
  readonly changes: Change[] = [];
  readonly userIds: readonly string[];
  /** Answers by what they were: a status, or how the connection ended. */
  readonly answers = new Map<string, number>();
  /** What was said with a fault, once each. */
  readonly reasons = new Set<string>();
  #written = 0;
  #acknowledged = 0;

  constructor(users: number) {
    this.userIds = Array.from({ length: users }, (_, n) => `drilled${String(n).padStart(25, '0')}`);
  }

  /** Writes that were acknowledged. */
  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** A document that nobody has written. */
  nextDocument(): { readonly id: string; readonly text: string } {
    const number = ++this.#written;
    const id = `d${String(number).padStart(7, '0')}`;
    this.documents.set(id, 'unknown');
    return { id, text: JSON.stringify(documentOf(id)) };
  }

  /** Levels that the user has never had. */
  nextChange(userId: string): { readonly change: Change; readonly capabilities: string[] } {
    const before = this.changes.filter((change) => change.userId === userId).length;
    const levels = before + 1;
    const change: Change = { userId, levels, outcome: 'unknown' };
    this.changes.push(change);
    return { change, capabilities: LEVELS.filter((_, bit) => (levels >> bit) & 1) };
  }

  documentKept(id: string): void {
    this.documents.set(id, 'kept');
    this.#acknowledged += 1;
  }

  changeKept(change: Change): void {
    change.outcome = 'kept';
    this.#acknowledged += 1;
  }

  /** @param answer a status, or how the connection ended */
  heard(answer: string): void {
    this.answers.set(answer, (this.answers.get(answer) ?? 0) + 1);
  }

  /** Requests that were answered otherwise than with 2xx. */
  get faults(): number {
    return this.requests - (this.answers.get('2xx') ?? 0);
  }

  get requests(): number {
    return [...this.answers.values()].reduce((sum, count) => sum + count, 0);
  }
}

/** A document says its id in every field, so that none can be taken for another. */
export function documentOf(id: string): Record<string, unknown> {
  return {
    ...{ _type: 'role', id, name: `Role ${id}`, description: `Drilled as ${id}` },
    entitlementCount: Number(id.slice(1)),
  };
}

/** The number that a set of levels stands for. */
export function levelsOf(capabilities: readonly string[]): number {
  return capabilities.reduce((sum, level) => sum | (1 << LEVELS.indexOf(level)), 0);
}
