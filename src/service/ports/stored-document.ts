// A search document in its stored form.
import type { IndexName } from '../../query/query.ts';

/** What identifies a document. */
export interface StoredDocumentKey {
  readonly tenantId: string;
  readonly index: IndexName;
  readonly id: string;
}

/** A document of an index, in the two parts a response is spliced from. */
export interface StoredDocument {
  readonly index: IndexName;
  readonly id: string;
  /**
   * UTF-8 JSON object without the nested members and the envelope (`_type`, `_version`, `pod`,
   * `org`, repeated `type`).
   */
  readonly root: Uint8Array;
  /** UTF-8 `"name":[…],…` of the nested members, or empty. */
  readonly nested: Uint8Array;
  /**
   * documentHash of the content that counts as a change; computed from root and nested when
   * missing. Never read back.
   */
  readonly hash?: Uint8Array;
}
