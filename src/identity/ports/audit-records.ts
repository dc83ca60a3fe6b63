// What the audit trail needs of the store. Events are only ever appended: no method changes or deletes one.
import type { ChainedEvent, ChainHead } from '../audit/audit-chain.ts';
import type { StoredDocument } from './stored-document.ts';

/** A chained event with its place in the order of all tenants. */
export interface StoredAuditEvent extends ChainedEvent {
  /** Ascending in the order of commits, over all tenants; that of the event's document when it was written. */
  readonly sequence: number;
}

/** The recorded end of a tenant's chain. */
export interface RecordedHead extends ChainHead {
  /** How many of the first events were written before there was a chain, and chained afterwards. */
  readonly carried: number;
}

/** How far the events have been exported to one target. */
export interface AuditExport {
  /** Where they go: `file <path>` or `http <url>`. */
  readonly target: string;
  /** Sequence of the last event delivered; 0: none. */
  readonly sequence: number;
  /** The process that exports; others leave the target alone until the lease ends. */
  readonly owner: string;
  /** Epoch milliseconds. */
  readonly leaseUntil: number;
}

/** A document of the index `events`. */
export interface EventDocument extends StoredDocument {
  /** As of a StoredAuditEvent. */
  readonly sequence: number;
}

/** Reading the audit trail. */
export interface AuditRecords {
  /** The events of a tenant after `number`, ascending, at most `limit`. */
  auditChain(tenantId: string, number: number, limit: number): Promise<readonly StoredAuditEvent[]>;
  /** null: the tenant has no event. */
  auditHead(tenantId: string): Promise<RecordedHead | null>;
  /** The events of the trail that have one of the ids, by id. */
  auditEvents(
    tenantId: string,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, Pick<StoredAuditEvent, 'number' | 'text' | 'sequence'>>>;
  /** The events of all tenants after `sequence`, ascending, at most `limit`. */
  auditEventsAfter(sequence: number, limit: number): Promise<readonly StoredAuditEvent[]>;
  /** null: nothing was exported to it yet. */
  auditExport(target: string): Promise<AuditExport | null>;
  /** Documents of the index `events` after the id `afterId` in the order of ids, at most `limit`. */
  eventDocuments(
    tenantId: string,
    afterId: string,
    limit: number,
  ): Promise<readonly EventDocument[]>;
  /** Ids of the tenants that have an event or a recorded end of a chain; looks at all events. */
  auditTenants(): Promise<readonly string[]>;
  /** How the triggers that refuse changes of events differ from what they should be, one sentence each. */
  auditProtectionFaults(): Promise<readonly string[]>;
}

/** Appending to the audit trail. */
export interface WritableAuditRecords extends AuditRecords {
  /** Appends events to the tenant's chain, and puts each as a document of the index `events`. */
  appendAuditEvents(tenantId: string, events: readonly StoredDocument[]): Promise<void>;
  /** Puts the triggers that refuse changes of events back as they should be. */
  restoreAuditProtection(): Promise<void>;
  setAuditExport(position: AuditExport): Promise<void>;
}
