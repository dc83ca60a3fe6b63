// Verifies the audit trail of a tenant: the hash chain, its recorded head, and the searchable copy
// of each event among the documents. A fault gives the number of the event and what happened to it.
// The retention purges copies, never events: a missing copy is no fault if the event is from before
// the purge.
// Invariant: read-only, with memory independent of the chain's length. Events may be appended
// meanwhile.

import { type ChainHead, chainHash, EMPTY_CHAIN } from '../ports/audit-chain.ts';
import type { AuditRecords, StoredAuditEvent } from '../ports/audit-records.ts';
import type { Records } from '../ports/store.ts';
import { AUDIT_STACK } from './audit-event.ts';
import { AuditSuspects } from './audit-suspects.ts';

/** The records that a verification reads. */
type AuditSource = AuditRecords & Pick<Records, 'document' | 'eventsPurgedBefore'>;

/** A fault in a tenant's audit trail. */
export interface AuditFault {
  /**
   * `head`: the recorded head of the chain. `copy`: the searchable document. `sequence`: the
   * event's position among those of all tenants, in which they are exported. Other kinds: the event
   * itself.
   */
  readonly kind:
    | ('changed' | 'removed' | 'inserted' | 'reordered' | 'truncated')
    | ('head' | 'copy' | 'sequence');
  /** Number of the event in its chain; null for a document without an event. */
  readonly number: number | null;
  /** One sentence. */
  readonly message: string;
}

/** The result of a verification. */
export interface AuditVerification {
  /** Events in the chain. */
  readonly events: number;
  /**
   * ISO 8601: the retention may have purged the documents of events created before this instant;
   * null: of none. The events are in the chain.
   */
  readonly purgedBefore: string | null;
  /** The last event of the chain. */
  readonly head: ChainHead;
  /** The number of all faults, including unlisted ones. */
  readonly faultCount: number;
  /** The first FAULTS_LISTED. */
  readonly faults: readonly AuditFault[];
}

/** A tenant whose trail has faults. */
export interface TrailFault {
  readonly tenantId: string;
  /** The tenant's name, the first fault, and how many more there are. */
  readonly message: string;
}

/** Maximum number of faults listed. */
const FAULTS_LISTED = 100;
const PAGE = 500;
/**
 * Numbers begin with 1, but a manipulated database may have lower ones. Just above the 64-bit
 * minimum.
 */
const LEAST_NUMBER = -(2 ** 63) + 1024;

/**
 * Verifies the audit trail of one tenant.
 * @param noted chain heads that were saved elsewhere; the chain must still contain each
 * @param onProgress called with the number of events verified; the verification waits for it
 */
export async function verifyAudit(
  records: AuditSource,
  tenantId: string,
  noted: readonly ChainHead[] = [],
  onProgress: (events: number) => unknown = () => {},
): Promise<AuditVerification> {
  const faults = new FaultList();
  const purgedBefore = await records.eventsPurgedBefore(tenantId);
  const chain = new ChainCheck(noted, faults, purgedBefore);
  let recorded = await records.auditHead(tenantId);
  for (let after = LEAST_NUMBER; ; ) {
    const page = await records.auditChain(tenantId, after, PAGE);
    for (const event of page) chain.take(event);
    after = page.at(-1)?.number ?? after;
    await onProgress(chain.events);
    if (page.length === PAGE) continue;
    // Read the head after the events: events written meanwhile follow, at least up to this head.
    recorded = await records.auditHead(tenantId);
    const isBehind = page.length > 0 && (recorded?.number ?? 0) > chain.head.number;
    if (!isBehind) break;
  }
  chain.end(recorded);
  await verifyCopies(records, tenantId, chain, faults, () => onProgress(chain.events));
  const { events, head } = chain;
  const { count: faultCount, listed } = faults;
  return {
    ...{ events, head, faultCount, faults: listed },
    purgedBefore: purgedBefore === null ? null : new Date(purgedBefore).toISOString(),
  };
}

/**
 * Verifies the trail of every tenant.
 * @param onProgress called now and then; the verification waits for it
 */
export async function verifyTrails(
  records: AuditSource & Pick<Records, 'tenants'>,
  onProgress: () => unknown = () => {},
): Promise<{ readonly events: number; readonly faults: readonly TrailFault[] }> {
  const faults: TrailFault[] = [];
  let events = 0;
  for (const { id: tenantId, name } of await records.tenants()) {
    const verification = await verifyAudit(records, tenantId, [], onProgress);
    events += verification.events;
    const [first] = verification.faults;
    if (first === undefined) continue;
    const others = verification.faultCount - 1;
    const more = others > 0 ? ` and ${others} more` : '';
    faults.push({ tenantId, message: `${name}: ${first.message}${more}` });
  }
  return { events, faults };
}

class FaultList {
  readonly listed: AuditFault[] = [];
  count = 0;

  add(kind: AuditFault['kind'], number: number | null, message: string): void {
    this.count++;
    if (this.listed.length < FAULTS_LISTED) this.listed.push({ kind, number, message });
  }
}

/** Checks one chain, event by event. */
class ChainCheck {
  readonly #noted: readonly ChainHead[];
  readonly #faults: FaultList;
  readonly #suspects = new AuditSuspects();
  readonly #purgedBefore: number | null;
  events = 0;
  /** Events whose documents must exist: the retention has not reached them. */
  retained = 0;
  /** The last event, valid or not. */
  head: ChainHead = EMPTY_CHAIN;
  /** False when the previous event is missing or invalid, so that its link cannot be checked. */
  #isLinked = true;
  /** The sequence of the last valid event. */
  #sequence = Number.NEGATIVE_INFINITY;

  constructor(noted: readonly ChainHead[], faults: FaultList, purgedBefore: number | null) {
    this.#noted = noted;
    this.#faults = faults;
    this.#purgedBefore = purgedBefore;
  }

  /** Whether the document of an event may be missing. */
  isPurged(text: string): boolean {
    return isBefore(text, this.#purgedBefore);
  }

  take(event: StoredAuditEvent): void {
    const { number, previousHash, hash } = event;
    const expected = this.head.number + 1;
    if (!(number >= expected)) {
      const message = `event ${number} was inserted: no event of the chain has such a number`;
      this.#faults.add('inserted', number, message);
      return;
    }
    this.events++;
    if (!this.isPurged(event.text)) this.retained++;
    if (number > expected) {
      const missing =
        number - 1 > expected ? `events ${expected} to ${number - 1} are` : `event ${expected} is`;
      this.#faults.add('removed', expected, `${missing} missing`);
      this.#isLinked = false;
    }
    const isValid = chainHash(event) === hash;
    if (!isValid) this.#suspects.add(event);
    else if (idOf(event.text) !== event.id) {
      this.#faults.add(
        'changed',
        number,
        `event ${number} is stored under another id than its own`,
      );
    } else if (this.#isLinked && previousHash !== this.head.hash) {
      const message = `event ${number - 1} is not the one that event ${number} was chained to`;
      this.#faults.add('changed', number - 1, message);
    }
    if (isValid) this.#collect(event);
    for (const noted of this.#noted) {
      if (noted.number !== number || noted.hash === hash) continue;
      this.#faults.add('changed', number, `event ${number} has another hash than was noted`);
    }
    this.head = { number, hash };
    this.#isLinked = isValid;
  }

  /** Collects from a valid event what only the whole chain can confirm. */
  #collect({ number, sequence }: StoredAuditEvent): void {
    if (sequence <= this.#sequence) {
      const message = `event ${number} has the sequence ${sequence}, though an event before it has ${this.#sequence}`;
      this.#faults.add('sequence', number, message);
    }
    this.#sequence = sequence;
  }

  /** Compares the end of the chain with the recorded head and with saved heads. */
  end(recorded: ChainHead | null): void {
    for (const { kind, number, message } of this.#suspects.faults(this.head.number)) {
      this.#faults.add(kind, number, message);
    }
    const { number, hash } = this.head;
    const end = recorded ?? EMPTY_CHAIN;
    if (number === 0 && end.number === 0) {
      const message = 'the trail is empty, though it begins with the creation of the tenant';
      this.#faults.add('removed', 1, message);
    } else if (recorded === null) {
      this.#faults.add('head', number, 'the end of the chain is not recorded');
    } else if (end.number > number) {
      const message = `the trail ends with event ${number}, but event ${end.number} is recorded as its end`;
      this.#faults.add('truncated', number + 1, message);
    } else if (end.number < number) {
      const message = `the trail goes on to event ${number}, but event ${end.number} is recorded as its end`;
      this.#faults.add('inserted', end.number + 1, message);
    } else if (end.hash !== hash) {
      this.#faults.add(
        'head',
        number,
        `event ${number} has another hash than is recorded as the end`,
      );
    }
    for (const noted of this.#noted) {
      if (noted.number <= number) continue;
      const message = `the trail ends with event ${number}, but event ${noted.number} was noted`;
      this.#faults.add('truncated', number + 1, message);
    }
  }
}

/** The `id` in the text of an event; null when the text is not such JSON. */
function idOf(text: string): unknown {
  try {
    return (JSON.parse(text) as { readonly id?: unknown } | null)?.id ?? null;
  } catch {
    return null;
  }
}

/** Whether an event was created before the instant; false if there is none. */
function isBefore(text: string, instant: number | null): boolean {
  if (instant === null) return false;
  try {
    const { created } = JSON.parse(text) as { readonly created?: unknown };
    return typeof created === 'string' && Date.parse(created) < instant;
  } catch {
    return false;
  }
}

const TEXT = new TextDecoder();

/** Compares the documents of the index `events` with the chain. */
async function verifyCopies(
  records: AuditSource,
  tenantId: string,
  chain: ChainCheck,
  faults: FaultList,
  onPage: () => unknown,
): Promise<void> {
  let copies = 0;
  for (let afterId = ''; ; ) {
    const documents = await records.eventDocuments(tenantId, afterId, PAGE);
    const ids = documents.map(({ id }) => id);
    const events = await records.auditEvents(tenantId, ids);
    for (const { id, root, nested, sequence } of documents) {
      const text = TEXT.decode(root);
      const event = events.get(id);
      if (event === undefined || event.number <= LEAST_NUMBER) {
        if (stackOf(text) !== AUDIT_STACK) continue;
        const message = `document ${id} of events claims to be recorded, and is not in the trail`;
        faults.add('inserted', null, message);
      } else {
        const isOfChain = event.number >= 1 && event.number <= chain.head.number;
        if (isOfChain && !chain.isPurged(event.text)) copies++;
        if (sequence !== event.sequence) {
          const message = `event ${event.number} has the sequence ${event.sequence}, its document ${sequence}`;
          faults.add('sequence', event.number, message);
        }
        if (text === event.text && nested.length === 0) continue;
        const message = `the document of event ${event.number} differs from it`;
        faults.add('copy', event.number, message);
      }
    }
    await onPage();
    if (documents.length < PAGE) break;
    afterId = ids.at(-1) ?? afterId;
  }
  if (copies < chain.retained)
    await nameMissingCopies(records, tenantId, chain.head.number, faults);
}

async function nameMissingCopies(
  records: AuditSource,
  tenantId: string,
  last: number,
  faults: FaultList,
): Promise<void> {
  for (let number = 0; number < last; ) {
    const page = await records.auditChain(tenantId, number, PAGE);
    if (page.length === 0) return;
    for (const { number, id, text } of page) {
      if (number > last || (await records.document(tenantId, 'events', id)) !== null) continue;
      // Read afterwards: a purge may be running, and raises it with the deletions.
      if (isBefore(text, await records.eventsPurgedBefore(tenantId))) continue;
      faults.add('copy', number, `the document of event ${number} is missing`);
    }
    number = page.at(-1)?.number ?? last;
  }
}

function stackOf(text: string): unknown {
  try {
    return (JSON.parse(text) as { readonly stack?: unknown }).stack;
  } catch {
    return null;
  }
}
