// Rows that most writes of a transaction change: the last sequence number, the head of each audit
// chain, the numbers of documents. `transaction-rows.ts` keeps them in memory until they are written.

import type { IndexName } from '../../query/query.ts';
import type { ChainHead } from '../../service/ports/audit-chain.ts';

/** The shared rows of one transaction. */
export interface SharedRows {
  /** Reserves `count` sequence numbers and returns the last of them. */
  takeSequences(count: number): Promise<number>;
  /** The head of a tenant's chain. */
  head(tenantId: string): Promise<ChainHead>;
  setHead(tenantId: string, head: ChainHead): void;
  /** Adds to the number of a tenant's documents. */
  addCount(tenantId: string, index: IndexName, documents: number): void;
  /** True for a dynamic field that this transaction has recorded or found. */
  isRecorded(tenantId: string, index: IndexName, path: string): boolean;
  setRecorded(tenantId: string, index: IndexName, paths: readonly string[]): void;
  /**
   * Prepares for a statement that names one of their tables: writes what has changed, and reads
   * everything again when it is needed next. Statements are sent before it returns; the promise
   * resolves once they have been answered.
   */
  release(): Promise<void>;
}

const TABLES =
  /\b(?:sequence_counter|audit_head|document_count)\b|\b(?:delete from|update) "dynamic_field"/;

/**
 * Whether a text of SQL names a table of these rows. Of dynamic fields only that they are recorded is
 * kept in memory, so only deletions and new kinds count.
 */
export function namesSharedRows(sql: string): boolean {
  return TABLES.test(sql);
}
