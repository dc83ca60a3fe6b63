// Use cases of documents: import (also of auth users and profiles), reading, deletion, and their
// mappings. A change writes its audit event in its own transaction; an import writes one for all
// its lines with the last batch, and another with the first of several.
// Invariant: nothing is acknowledged before it is durable.
import { randomBytes } from 'node:crypto';
import type { RandomBytes } from '../../auth/secrets.ts';
import { ServiceError } from '../../errors.ts';
import type { SourceLine } from '../../json/json-source.ts';
import { staticMapping } from '../../query/mapping/document-types.ts';
import type { Act } from '../../query/mapping/event-names.ts';
import type { Mapping } from '../../query/mapping/mapping.ts';
import type { IndexName } from '../../query/query.ts';
import { TurnQueue } from '../../scheduling/turn-queue.ts';
import { importedUserEvents } from '../accounts/auth-user-event.ts';
import { AuthUserImport } from '../accounts/auth-user-import.ts';
import {
  type AuditActor,
  type EventContext,
  LOCAL_OPERATOR,
  recordAuditEvent,
} from '../audit/audit-event.ts';
import { bareDocument } from '../documents/bare-document.ts';
import {
  DocumentImport,
  type DocumentImportOptions,
  type OnUnchanged,
} from '../documents/document-import.ts';
import { ImportPages } from '../documents/import-pages.ts';
import {
  type BatchLimits,
  type ImportOptions,
  type ImportReport,
  type ImportRules,
  runImport,
  type WriteAudit,
} from '../documents/import-run.ts';
import { loadMappings, MappingCache } from '../documents/mapping-cache.ts';
import type { Mappings } from '../ports/search-backend.ts';
import type { Store } from '../ports/store.ts';
import type { StoredDocument } from '../ports/stored-document.ts';
import { ProfileImport } from '../profiles/profile-import.ts';

export type { ImportFault, ImportOptions, ImportReport } from '../documents/import-run.ts';

/** Limits of imports; the defaults are DOCUMENT_LIMITS. */
export interface DocumentLimits {
  /** Maximum dynamic fields per index and tenant. */
  readonly dynamicFields: number;
  /** Maximum bytes of one document, auth user or profile. */
  readonly documentBytes: number;
  /** Maximum documents and bytes per transaction. */
  readonly batch: BatchLimits;
}

export const DOCUMENT_LIMITS: DocumentLimits = {
  dynamicFields: 2_000,
  documentBytes: 2 * 1024 * 1024,
  batch: { documents: 2_000, bytes: 8 * 1024 * 1024 },
};

export interface DocumentsOptions {
  readonly clock: { now(): number };
  readonly limits?: Partial<DocumentLimits>;
  /** For ids of audit events. */
  readonly random?: RandomBytes;
  /** Called after an import with documents that it left as they were. */
  readonly onUnchanged?: OnUnchanged;
}

export interface ImportDocumentsOptions extends ImportOptions {
  /** Default index of documents without `_type`. */
  readonly index?: IndexName | undefined;
}

export class Documents {
  readonly #store: Store;
  readonly #clock: { now(): number };
  readonly #limits: DocumentLimits;
  readonly #importRules: ImportRules;
  readonly #random: RandomBytes;
  readonly #cache: MappingCache;
  readonly #onUnchanged: OnUnchanged;

  constructor(store: Store, options: DocumentsOptions) {
    this.#store = store;
    this.#clock = options.clock;
    this.#limits = { ...DOCUMENT_LIMITS, ...options.limits };
    this.#importRules = { ...this.#limits, store, turns: new TurnQueue() };
    this.#random = options.random ?? randomBytes;
    this.#cache = new MappingCache(store, options.clock);
    this.#onUnchanged = options.onUnchanged ?? (() => {});
  }

  /**
   * Imports search documents as a search API returns them; equal ones are not changed.
   * @throws ServiceError `not_found` for an unknown tenant, `unavailable` when the store fails:
   * whatever the last progress report counted is kept
   */
  async importDocuments(
    tenantId: string,
    lines: AsyncIterable<SourceLine>,
    options: ImportDocumentsOptions = {},
  ): Promise<ImportReport> {
    const steps = await this.#documentSteps(tenantId, { index: options.index });
    const audit = this.#importAudit(tenantId, options, 'DOCUMENT_IMPORT');
    return runImport(lines, options, this.#importRules, steps, audit);
  }

  /** Imports auth users as the service returns them. Throws like importDocuments. */
  async importAuthUsers(
    tenantId: string,
    lines: AsyncIterable<SourceLine>,
    options: ImportOptions = {},
  ): Promise<ImportReport> {
    const steps = await this.#authUserSteps(tenantId, options);
    const audit = this.#importAudit(tenantId, options, 'AUTH_USER_IMPORT');
    return runImport(lines, options, this.#importRules, steps, audit);
  }

  /** Imports profiles as GET /api/profiles returns them. Throws like importDocuments. */
  async importProfiles(
    tenantId: string,
    lines: AsyncIterable<SourceLine>,
    options: ImportOptions = {},
  ): Promise<ImportReport> {
    const steps = new ProfileImport(tenantId, this.#clock);
    const audit = this.#importAudit(tenantId, options, 'PROFILE_IMPORT');
    return runImport(lines, options, this.#importRules, steps, audit);
  }

  /**
   * Returns a writer of pages of documents of a remote tenant, which rejects those of another index;
   * the caller records the audit event.
   * @throws ServiceError `not_found` for an unknown tenant
   */
  async documentPages(tenantId: string, index: IndexName): Promise<ImportPages<unknown>> {
    const steps = await this.#documentSteps(tenantId, { index, isOnlyIndex: true });
    return new ImportPages(this.#store, steps, this.#limits);
  }

  /** As `documentPages`, for auth users; changes of existing ones have audit events. */
  async authUserPages(tenantId: string): Promise<ImportPages<unknown>> {
    const steps = await this.#authUserSteps(tenantId, { actor: null });
    return new ImportPages(this.#store, steps, this.#limits);
  }

  /** As `documentPages`, for profiles. */
  profilePages(tenantId: string): ImportPages<unknown> {
    const steps = new ProfileImport(tenantId, this.#clock, 'as sent');
    return new ImportPages(this.#store, steps, this.#limits);
  }

  /**
   * Deletes a document. `actor` is for the audit event.
   * @returns whether it existed
   * @throws ServiceError `forbidden` for an event of the audit trail
   */
  async remove(
    tenantId: string,
    index: IndexName,
    id: string,
    actor: AuditActor = LOCAL_OPERATOR,
  ): Promise<boolean> {
    return this.#store.write(async (records) => {
      if (index === 'events' && (await records.auditEvents(tenantId, [id])).size > 0) {
        throw new ServiceError('forbidden', 'An event of the audit trail cannot be deleted.', {
          causes: [
            `event "${id}" was written by this service; only imported events can be deleted`,
          ],
        });
      }
      if (!(await records.deleteDocument(tenantId, index, id))) return false;
      await recordAuditEvent(records, tenantId, this.#context(actor), {
        ...{ act: 'DOCUMENT_DELETE', target: id, attributes: { index } },
      });
      return true;
    });
  }

  /**
   * The bare document as UTF-8 JSON.
   * @throws ServiceError `not_found`
   */
  async get(tenantId: string, index: IndexName, id: string): Promise<Uint8Array> {
    const document = await this.#store.read.document(tenantId, index, id);
    if (document === null) {
      throw new ServiceError('not_found', `There is no document with that id in ${index}.`, {
        causes: [`index "${index}", id "${id}"`],
      });
    }
    return Buffer.concat(bareDocument(document));
  }

  /** As Records.documentsById. */
  documentsById(
    tenantId: string,
    index: IndexName,
    ids: readonly string[],
  ): Promise<readonly StoredDocument[]> {
    return this.#store.read.documentsById(tenantId, index, ids);
  }

  /**
   * Returns a function that converts a document as a search API returns it to the one that `get`
   * returns once it is imported; it throws a DocumentFault if the document cannot be.
   */
  async documentForm(
    tenantId: string,
    index: IndexName,
  ): Promise<(text: Uint8Array) => Uint8Array> {
    const mappings = await loadMappings(this.#store.read, tenantId);
    const options = {
      ...{ tenantId, index, isOnlyIndex: true },
      ...{ synced: '', dynamicFieldsMax: Number.POSITIVE_INFINITY },
    };
    const steps = new DocumentImport(options, { mappings, version: 0 });
    return (text) => Buffer.concat(bareDocument(steps.prepare(text).document));
  }

  /**
   * Static and committed dynamic fields of one index, for the indexer. Documents of a tenant that does
   * not exist have the static ones: no token reads them, and they must not hold up those of others.
   */
  async mapping(tenantId: string, index: IndexName): Promise<Mapping> {
    try {
      return (await this.#cache.mappings(tenantId))[index];
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'not_found') throw error;
      return staticMapping(index, { name: tenantId, pod: '' });
    }
  }

  /** The mappings of all indexes at one moment, for planning; see MappingCache.recent. */
  mappings(tenantId: string): Mappings | Promise<Mappings> {
    return this.#cache.recent(tenantId);
  }

  async #documentSteps(
    tenantId: string,
    which: Pick<DocumentImportOptions, 'index' | 'isOnlyIndex'>,
  ): Promise<DocumentImport> {
    const version = await this.#store.read.fieldsVersion(tenantId);
    const mappings = await loadMappings(this.#store.read, tenantId);
    const options = {
      ...{ ...which, tenantId, onUnchanged: this.#onUnchanged },
      synced: new Date(this.#clock.now()).toISOString(),
      dynamicFieldsMax: this.#limits.dynamicFields,
    };
    return new DocumentImport(options, { mappings, version });
  }

  async #authUserSteps(tenantId: string, { actor }: ImportOptions): Promise<AuthUserImport> {
    const tenant = await this.#store.read.tenantById(tenantId);
    if (tenant === null) throw new ServiceError('not_found', 'There is no such tenant.');
    return new AuthUserImport(tenant, (before, after) => {
      if (actor === null && before === null) return [];
      return importedUserEvents(before, after, this.#context(actor ?? LOCAL_OPERATOR));
    });
  }

  #importAudit(tenantId: string, { actor }: ImportOptions, act: Act): WriteAudit {
    return async (records, status, counts) => {
      if (actor === null) return;
      const tenant = await records.tenantById(tenantId);
      await recordAuditEvent(records, tenantId, this.#context(actor ?? LOCAL_OPERATOR), {
        ...{ act, status, attributes: counts },
        target: tenant?.name ?? tenantId,
      });
    };
  }

  #context(actor: AuditActor): EventContext {
    return { actor, now: this.#clock.now(), random: this.#random };
  }
}
