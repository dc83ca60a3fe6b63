// Use cases of documents: import (also of auth users and profiles), deletion, and their mappings. A
// change writes its audit event in its own transaction; an import writes one for all
// its lines with the last batch, and another with the first of several.
// Invariant: nothing is acknowledged before it is durable.
import { randomBytes } from 'node:crypto';
import { authorize } from '../../auth/access.ts';
import type { Caller } from '../../auth/caller.ts';
import type { RandomBytes } from '../../auth/secrets.ts';
import { ServiceError } from '../../errors.ts';
import type { SourceLine } from '../../json/json-source.ts';
import { staticMapping } from '../../query/mapping/document-types.ts';
import type { Act } from '../../query/mapping/event-names.ts';
import type { Mapping } from '../../query/mapping/mapping.ts';
import type { IndexName } from '../../query/query.ts';
import { TurnQueue } from '../../scheduling/turn-queue.ts';
import { importedUserEvents } from '../accounts/auth-user-event.ts';
import { AuthUserImport, type BuildUserEvents } from '../accounts/auth-user-import.ts';
import {
  type AuditActor,
  actorOf,
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
import { type CheckedLines, checkLines } from '../documents/import-preview.ts';
import {
  type BatchLimits,
  type Importer,
  type ImportOptions,
  type ImportReport,
  type ImportRules,
  runImport,
} from '../documents/import-run.ts';
import { loadMappings, MappingCache } from '../documents/mapping-cache.ts';
import { matchedIds } from '../documents/matched-ids.ts';
import { MergeImport, type MergeOptions } from '../documents/merge-import.ts';
import { mergePatch } from '../documents/merge-patch.ts';
import { parseRecord } from '../documents/record-line.ts';
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

export interface MergeDocumentsOptions extends ImportOptions, MergeOptions {
  readonly index: IndexName;
}

export interface ImportAuthUsersOptions extends ImportOptions {
  /** Whether lines are JSON merge patches: what one does not name stays. */
  readonly merge?: boolean;
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
   * @throws ServiceError `forbidden`, also once the caller has lost the right, `not_found` for an
   * unknown tenant, `unavailable` when the store fails: whatever the last progress report counted is
   * kept
   */
  async importDocuments(
    caller: Caller,
    lines: AsyncIterable<SourceLine>,
    options: ImportDocumentsOptions = {},
  ): Promise<ImportReport> {
    const importer = this.#importer(caller, options, 'DOCUMENT_IMPORT');
    const steps = await this.#documentSteps(caller.tenantId, { index: options.index });
    return runImport(lines, options, this.#importRules, steps, importer);
  }

  /**
   * Imports JSON merge patches of the documents of one index: what a line does not name stays.
   * @throws ServiceError as importDocuments, and `limit_exceeded` if too many documents match
   */
  async mergeDocuments(
    caller: Caller,
    lines: AsyncIterable<SourceLine>,
    options: MergeDocumentsOptions,
  ): Promise<ImportReport> {
    const { index, match } = options;
    const importer = this.#importer(caller, options, 'DOCUMENT_IMPORT');
    const { tenantId } = caller;
    const which = { tenantId, index };
    const pause = () => this.#importRules.turns.next();
    const whole = await this.#documentSteps(tenantId, { index, isOnlyIndex: true });
    const isById = match === null || match === 'id';
    const ids = isById ? null : await matchedIds(this.#store.read, which, match, pause);
    const rules = { ...which, mustExist: match !== null, ids, pause };
    const steps = new MergeImport(whole, { ...rules, onUnchanged: this.#onUnchanged });
    return runImport(lines, options, this.#importRules, steps, importer);
  }

  /**
   * Imports auth users as the service returns them, or patches of them. Throws like importDocuments.
   */
  async importAuthUsers(
    caller: Caller,
    lines: AsyncIterable<SourceLine>,
    options: ImportAuthUsersOptions = {},
  ): Promise<ImportReport> {
    const importer = this.#importer(caller, options, 'AUTH_USER_IMPORT');
    const { isSeed = false, merge = false } = options;
    const rules = { actor: actorOf(caller), isSeed, merge };
    const steps = await this.#authUserSteps(caller.tenantId, rules);
    return runImport(lines, options, this.#importRules, steps, importer);
  }

  /**
   * Checks the first lines of an import of documents, and writes nothing.
   * @param merge whether lines are JSON merge patches of the documents of that index
   * @throws ServiceError `forbidden`
   */
  async checkDocuments(
    caller: Caller,
    lines: AsyncIterable<SourceLine>,
    { index, merge }: { readonly index: IndexName | undefined; readonly merge: boolean },
  ): Promise<CheckedLines> {
    authorize(caller, 'admin');
    const steps = await this.#documentSteps(caller.tenantId, { index, isOnlyIndex: merge });
    const check = (text: Uint8Array | string) =>
      steps.prepare(merge ? JSON.stringify(mergePatch({}, parseRecord(text))) : text);
    return checkLines(lines, check, () => this.#importRules.turns.next());
  }

  /** The same of auth users. */
  async checkAuthUsers(
    caller: Caller,
    lines: AsyncIterable<SourceLine>,
    { merge }: { readonly merge: boolean },
  ): Promise<CheckedLines> {
    authorize(caller, 'admin');
    const rules = { actor: actorOf(caller), isSeed: false, merge };
    const steps = await this.#authUserSteps(caller.tenantId, rules);
    const check = (text: Uint8Array | string) => steps.check(this.#store.read, text);
    return checkLines(lines, check, () => this.#importRules.turns.next());
  }

  /** Imports profiles as GET /api/profiles returns them. Throws like importDocuments. */
  async importProfiles(
    caller: Caller,
    lines: AsyncIterable<SourceLine>,
    options: ImportOptions = {},
  ): Promise<ImportReport> {
    const importer = this.#importer(caller, options, 'PROFILE_IMPORT');
    const steps = new ProfileImport(caller.tenantId, this.#clock);
    return runImport(lines, options, this.#importRules, steps, importer);
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
    const steps = await this.#authUserSteps(tenantId, {
      ...{ actor: LOCAL_OPERATOR, isSeed: true, merge: false },
    });
    return new ImportPages(this.#store, steps, this.#limits);
  }

  /** As `documentPages`, for profiles. */
  profilePages(tenantId: string): ImportPages<unknown> {
    const steps = new ProfileImport(tenantId, this.#clock, 'as sent');
    return new ImportPages(this.#store, steps, this.#limits);
  }

  /**
   * Deletes a document.
   * @returns whether it existed
   * @throws ServiceError `forbidden`, also for an event of the audit trail
   */
  async remove(caller: Caller, index: IndexName, id: string): Promise<boolean> {
    authorize(caller, 'admin');
    const { tenantId } = caller;
    return this.#store.write(async (records) => {
      if (index === 'events' && (await records.auditEvents(tenantId, [id])).size > 0) {
        throw new ServiceError('forbidden', 'An event of the audit trail cannot be deleted.', {
          causes: [
            `event "${id}" was written by this service; only imported events can be deleted`,
          ],
        });
      }
      if (!(await records.deleteDocument(tenantId, index, id))) return false;
      await recordAuditEvent(records, tenantId, this.#context(actorOf(caller)), {
        ...{ act: 'DOCUMENT_DELETE', target: id, attributes: { index } },
      });
      return true;
    });
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
   * Returns a function that converts a document as a search API returns it to the one that
   * `Search.get` returns once it is imported; it throws a DocumentFault if the document cannot be.
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
   * not exist, or whose row is damaged, have the static ones: no token reads them until a backup is
   * restored, and they must not hold up those of others.
   */
  async mapping(tenantId: string, index: IndexName): Promise<Mapping> {
    try {
      return (await this.#cache.mappings(tenantId))[index];
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (error.code !== 'not_found') {
        // Lists leave out damaged rows.
        const isSound = (await this.#store.read.tenants()).some(({ id }) => id === tenantId);
        if (isSound) throw error;
      }
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

  async #authUserSteps(
    tenantId: string,
    { actor, isSeed, merge }: { actor: AuditActor; isSeed: boolean; merge: boolean },
  ): Promise<AuthUserImport> {
    const tenant = await this.#store.read.tenantById(tenantId);
    if (tenant === null) throw new ServiceError('not_found', 'There is no such tenant.');
    const buildEvents: BuildUserEvents = (before, after) => {
      if (isSeed && before === null) return [];
      return importedUserEvents(before, after, this.#context(actor));
    };
    return new AuthUserImport(tenant, buildEvents, { merge });
  }

  /** @throws ServiceError `forbidden` */
  #importer(caller: Caller, { isSeed = false }: ImportOptions, act: Act): Importer {
    authorize(caller, 'admin');
    const { tenantId } = caller;
    return {
      confirm: async () => authorize(await caller.current(), 'admin'),
      audit: async (records, status, counts) => {
        if (isSeed) return;
        const tenant = await records.tenantById(tenantId);
        await recordAuditEvent(records, tenantId, this.#context(actorOf(caller)), {
          ...{ act, status, attributes: counts },
          target: tenant?.name ?? tenantId,
        });
      },
    };
  }

  #context(actor: AuditActor): EventContext {
    return { actor, now: this.#clock.now(), random: this.#random };
  }
}
