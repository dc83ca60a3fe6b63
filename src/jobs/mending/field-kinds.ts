// Feeds documents again whose fields got another kind since they were indexed. Backends index each value
// of a dynamic field for every kind, so that queries that name the field are right at once; only words
// without a field find numbers by the kind that they had. It also finds values that do not fit the kind of
// their field: earlier versions stored them so.
// Invariant: a field is done once a walk over all documents of its index found nothing to widen; a
// process that ends earlier begins anew. Other work has most of the time.
import { staticMapping, withFields } from '../../query/mapping/document-types.ts';
import { type Field, widerKind } from '../../query/mapping/mapping.ts';
import type { IndexName } from '../../query/query.ts';
import { BackgroundLoop } from '../../scheduling/background-loop.ts';
import { DocumentShape, fieldsBeyond } from '../../service/documents/document-shape.ts';
import type { ChangedField, Store } from '../../service/ports/store.ts';
import type { StoredDocument } from '../../service/ports/stored-document.ts';
import type { Log } from '../../telemetry/log.ts';

export interface FieldKindsOptions {
  readonly log: Log;
  /** Time between two looks for changed fields. */
  readonly everyMs?: number;
  /** A pause is this many times as long as the work before it. */
  readonly rest?: number;
}

/** Documents that are read at a time. */
const AT_ONCE = 200;
/** Bytes that are parsed between two pauses: a few milliseconds. */
const BYTES_BEFORE_PAUSE = 256 * 1024;
/** Fields named in the log. */
const NAMED_MAX = 20;

/** The same for every tenant, as it does not matter to fields. */
const NOBODY = { name: '', pod: '' };

export class FieldKinds {
  readonly #store: Pick<Store, 'read' | 'write'>;
  readonly #options: Required<FieldKindsOptions>;
  readonly #loop = new BackgroundLoop();

  constructor(store: Pick<Store, 'read' | 'write'>, options: FieldKindsOptions) {
    this.#store = store;
    this.#options = { everyMs: 2_000, rest: 3, ...options };
  }

  start(): void {
    const { everyMs, log } = this.#options;
    const finish = async () => {
      await this.finish();
      return everyMs;
    };
    this.#loop.repeat(0, finish, (err) => {
      log.warn({ err }, 'Documents could not be indexed by the kinds of their fields yet');
      return everyMs;
    });
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  /**
   * Does what there is to do, once.
   * @throws ServiceError `unavailable` if the store fails
   */
  async finish(): Promise<void> {
    const groups = new Map<string, ChangedField[]>();
    for (const changed of await this.#store.read.changedFields()) {
      const name = `${changed.index} ${changed.tenantId}`;
      groups.set(name, [...(groups.get(name) ?? []), changed]);
    }
    for (const group of groups.values()) await this.#finishOne(group);
  }

  /** @param changed fields of one index */
  async #finishOne(changed: readonly ChangedField[]): Promise<void> {
    const [first] = changed;
    if (first === undefined) return;
    const { tenantId, index } = first;
    const walk = new Walk(changed, await this.#store.read.dynamicFields(tenantId));
    for (let after = ''; ; ) {
      const page = await this.#store.read.documentPage(tenantId, index, after, AT_ONCE);
      const again = await this.#fedAgain(walk, page);
      if (this.#loop.signal.aborted) return;
      if (again.length > 0) await this.#feed(first, again, walk.wider());
      after = page.at(-1)?.id ?? after;
      if (page.length < AT_ONCE) break;
    }
    // The next look walks again, over documents that this one passed before it knew.
    if (walk.wider().length > 0) return;
    await this.#store.write(async (records) => {
      for (const one of changed) await records.endChange(one);
    });
    const fields = changed.flatMap(({ field, indexedAs }) =>
      field.type === indexedAs ? [] : `${field.path}: ${indexedAs} is now ${field.type}`,
    );
    if (fields.length === 0) return;
    this.#options.log.info(
      { tenantId, index, fields: fields.slice(0, NAMED_MAX), documents: walk.fed },
      'Fields got another kind, and their documents are indexed by it',
    );
  }

  /** The ids of the documents of a page that were indexed by another kind. */
  async #fedAgain(walk: Walk, page: readonly StoredDocument[]): Promise<readonly string[]> {
    const again: string[] = [];
    let bytes = 0;
    let begun = performance.now();
    for (const document of page) {
      if (walk.take(document)) again.push(document.id);
      bytes += document.root.length + document.nested.length;
      if (bytes < BYTES_BEFORE_PAUSE) continue;
      bytes = 0;
      if (!(await this.#loop.wait((performance.now() - begun) * this.#options.rest))) return [];
      begun = performance.now();
    }
    await this.#loop.wait((performance.now() - begun) * this.#options.rest);
    return again;
  }

  /** @param wider fields whose values the recorded kind does not have */
  async #feed(
    { tenantId, index }: Pick<ChangedField, 'tenantId' | 'index'>,
    ids: readonly string[],
    wider: readonly Field[],
  ): Promise<void> {
    await this.#store.write(async (records) => {
      if (wider.length > 0) await records.addDynamicFields(tenantId, index, wider);
      // Events of the audit trail keep the number of change that the trail has.
      const kept = index === 'events' ? await records.auditEvents(tenantId, ids) : new Map();
      const own = ids.filter((id) => !kept.has(id));
      await records.feedAgain(tenantId, index, own);
    });
  }
}

/** What the documents of an index have of its changed fields. */
class Walk {
  readonly #changed: ReadonlyMap<string, ChangedField>;
  /** Lacks the changed fields, so that it finds them, and their kinds, in each document. */
  readonly #shape: DocumentShape;
  readonly #found = new Map<string, Field>();
  /** Documents that are fed again. */
  fed = 0;

  constructor(
    changed: readonly ChangedField[],
    all: readonly { readonly index: IndexName; readonly field: Field }[],
  ) {
    this.#changed = new Map(changed.map((one) => [one.field.path, one]));
    const index = changed[0]?.index as IndexName;
    const others = all.flatMap((one) =>
      one.index === index && !this.#changed.has(one.field.path) ? one.field : [],
    );
    this.#shape = new DocumentShape(withFields(staticMapping(index, NOBODY), others));
  }

  /** @returns whether a document may be indexed by a kind that one of its fields does not have */
  take(document: StoredDocument): boolean {
    let isFed = false;
    for (const field of fieldsBeyond(this.#shape, document)) {
      const changed = this.#changed.get(field.path);
      if (changed === undefined) continue;
      const known = this.#found.get(field.path)?.type ?? changed.field.type;
      this.#found.set(field.path, { ...field, type: widerKind(known, field.type) });
      const isNarrow = widerKind(changed.field.type, field.type) !== changed.field.type;
      // A document with text came with the change itself, or after it.
      const isEarlier = changed.field.type !== changed.indexedAs && field.type !== 'text';
      isFed ||= isNarrow || isEarlier;
    }
    if (isFed) this.fed += 1;
    return isFed;
  }

  /** The fields that have values of a wider kind than is recorded. */
  wider(): readonly Field[] {
    return [...this.#found.values()].filter(
      ({ path, type }) => this.#changed.get(path)?.field.type !== type,
    );
  }
}
