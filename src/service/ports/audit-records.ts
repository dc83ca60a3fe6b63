// The audit trail's part of the store port. Events are append-only: no method changes or deletes
// one.
import type { ChainedEvent, ChainHead } from './audit-chain.ts';
import type { StoredDocument } from './stored-document.ts';

/** A chained event with its position in the order of all tenants. */
export interface StoredAuditEvent extends ChainedEvent {
  /**
   * Ascending in commit order over all tenants; the sequence of the event's document when it was
   * written.
   */
  readonly sequence: number;
}

/** The progress of the export to one target. */
export interface AuditExport {
  /** The destination: `file <path>` or `http <url>`. */
  readonly target: string;
  /** Sequence of the last event delivered; 0 for none. */
  readonly sequence: number;
  /** The exporting process; others leave the target alone until the lease ends. */
  readonly owner: string;
  /** Epoch milliseconds. */
  readonly leaseUntil: number;
}

/** A document of the index `events`. */
export interface EventDocument extends StoredDocument {
  /** As for a StoredAuditEvent. */
  readonly sequence: number;
}

/** The part of the events about one object to read. */
export interface TargetEventQuery {
  /** The attribute `targetId` of the events. */
  readonly targetId: string;
  readonly limit: number;
  readonly offset: number;
  /** Whether all of them are counted. */
  readonly count: boolean;
}

/** Events about one object. */
export interface TargetEvents {
  /** The JSON of each event. */
  readonly texts: readonly string[];
  /** null unless counted. */
  readonly total: number | null;
}

/**
 * What tells the history of a store from that of one that was restored to an older state and went another
 * way. A mark is made of the last event up to a change, and of the process that made the change. It stays
 * the same however the store goes on; null for a store without either.
 */
export interface StoreHistory {
  /** The last change. */
  readonly last: number;
  readonly lastMark: string | null;
  /** The mark of the change that was asked about. */
  readonly mark: string | null;
}

/** Read access to the audit trail. */
export interface AuditRecords {
  /** The events of a tenant after `number`, ascending, at most `limit`. */
  auditChain(tenantId: string, number: number, limit: number): Promise<readonly StoredAuditEvent[]>;
  /** null when the tenant has no event. */
  auditHead(tenantId: string): Promise<ChainHead | null>;
  /** The events with these ids, by id. */
  auditEvents(
    tenantId: string,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, Pick<StoredAuditEvent, 'number' | 'text' | 'sequence'>>>;
  /** The events about an auth user, newest first; see TargetEventQuery. */
  authUserEvents(tenantId: string, query: TargetEventQuery): Promise<TargetEvents>;
  /** The events of all tenants after `sequence`, ascending, at most `limit`. */
  auditEventsAfter(sequence: number, limit: number): Promise<readonly StoredAuditEvent[]>;
  /** What tells the history of the store up to a change, and up to its last one, as of one moment. */
  storeHistory(sequence: number): Promise<StoreHistory>;
  /** null when nothing was exported to the target yet. */
  auditExport(target: string): Promise<AuditExport | null>;
  /**
   * Documents of the index `events` with ids after `afterId`, ordered by id, at most `limit`.
   * Damaged ones are returned as their stored bytes, which differ from every event.
   */
  eventDocuments(
    tenantId: string,
    afterId: string,
    limit: number,
  ): Promise<readonly EventDocument[]>;
  /** Ids of the tenants with an event or a recorded chain head; scans all events. */
  auditTenants(): Promise<readonly string[]>;
  /**
   * Differences between the triggers that prevent changes of events and their definitions, one
   * sentence each.
   */
  auditProtectionFaults(): Promise<readonly string[]>;
}

/** Append access to the audit trail. */
export interface WritableAuditRecords extends AuditRecords {
  /** Appends events to the tenant's chain, and stores each as a document of the index `events`. */
  appendAuditEvents(tenantId: string, events: readonly StoredDocument[]): Promise<void>;
  /** Restores the triggers that prevent changes of events. */
  restoreAuditProtection(): Promise<void>;
  setAuditExport(position: AuditExport): Promise<void>;
}
