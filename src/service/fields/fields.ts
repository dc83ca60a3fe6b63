// The use case of dynamic fields for administrators: list them with what documents have, and set the kind
// of one. The kind decides how queries read values; all forms of a value are indexed whatever the kind is.
// Invariant: a kind is set only if every value fits, also those of documents that change meanwhile, and
// with its event of the audit trail.
import { authorize } from '../../auth/access.ts';
import type { Caller } from '../../auth/caller.ts';
import { type Clock, systemClock } from '../../auth/clock.ts';
import { ServiceError } from '../../errors.ts';
import { valuesOf } from '../../query/aggregation/aggregation-source.ts';
import type { Aggregations } from '../../query/aggregation.ts';
import { INDEX_NAMES } from '../../query/mapping/document-types.ts';
import type { Field, Kind } from '../../query/mapping/mapping.ts';
import type { IndexName } from '../../query/query.ts';
import { Deadline } from '../../scheduling/deadline.ts';
import { actorOf, changeAttributes, recordAuditEvent } from '../audit/audit-event.ts';
import { readIndexName } from '../documents/bare-document.ts';
import type { DynamicField, Records, Store } from '../ports/store.ts';
import type { StoredDocument } from '../ports/stored-document.ts';
import { type FieldBucket, fieldBuckets } from '../searching/field-buckets.ts';
import type { Visibility } from '../searching/visibility.ts';
import type { VisibleIndexes } from '../views/visible-indexes.ts';
import { FIELD_KINDS, misfitQuery, misfitsIn } from './field-values.ts';

/** A dynamic field as administrators see it. */
export interface ListedField {
  readonly index: IndexName;
  /** Dotted path. */
  readonly name: string;
  readonly kind: Kind;
  /** Documents that have it. */
  readonly documents: number;
  /** The most frequent values as texts, long ones cut. */
  readonly examples: readonly string[];
  /** ISO 8601; null: before that was recorded. */
  readonly since: string | null;
}

export interface FieldsSources {
  readonly store: Store;
  readonly visibility: Pick<Visibility, 'of'>;
  /** Resolves when a change is searchable. */
  readonly progress: { waitUntilSearchable(sequence: number, timeoutMs: number): Promise<void> };
  /** Milliseconds that the searches of an index may take. */
  readonly timeoutMs: number;
  readonly clock?: Clock;
}

const EXAMPLES = 3;
const EXAMPLE_LENGTH = 60;
/** Values that a refusal names. */
const MISFITS = 5;
const WAIT_MS = 30_000;
/** Changes that are read in the transaction that sets a kind. */
const CHANGES = 200;

const REQUIRED: Readonly<Record<Exclude<Kind, 'text'>, string>> = {
  long: 'a whole number',
  double: 'a number',
  boolean: 'true or false',
};

export class Fields {
  readonly #sources: FieldsSources;

  constructor(sources: FieldsSources) {
    this.#sources = sources;
  }

  /**
   * The dynamic fields of an index, or of all, by index and name.
   * @throws ServiceError `forbidden`, `request_invalid`; as a search
   */
  async list(
    caller: Caller,
    { index: name }: { readonly index?: string | undefined },
    signal?: AbortSignal,
  ): Promise<readonly ListedField[]> {
    authorize(caller, 'admin');
    const only = name === undefined ? null : readIndexName(name);
    const { store, visibility } = this.#sources;
    const fields = await store.read.dynamicFields(caller.tenantId);
    const indexes = await visibility.of(caller);
    const rows: ListedField[] = [];
    for (const index of INDEX_NAMES.filter((one) => only === null || one === only)) {
      const own = fields.filter((field) => field.index === index);
      rows.push(...(await this.#rows(indexes, index, own, signal)));
    }
    return rows;
  }

  /**
   * Sets the kind of a field.
   * @param body `{"kind": "text"}`, not validated
   * @throws ServiceError `forbidden`, `request_invalid`, `not_found`, `illegal_value` naming values that
   * do not fit, `unavailable` while documents change too fast to be checked; as a search
   */
  async set(
    caller: Caller,
    indexName: string,
    name: string,
    body: unknown,
    signal?: AbortSignal,
  ): Promise<ListedField> {
    authorize(caller, 'admin');
    const { tenantId } = caller;
    const index = readIndexName(indexName);
    const kind = readKind(body);
    const { store, visibility, clock = systemClock } = this.#sources;
    const { read } = store;
    const { field } = await fieldOf(read, tenantId, index, name);
    if (kind !== field.type) {
      const sequence = await read.lastSequence();
      if (kind !== 'text')
        await this.#refuseMisfits(caller, { index, field }, kind, signal, sequence);
      await store.write(async (records) => {
        const before = (await fieldOf(records, tenantId, index, name)).field.type;
        if (kind !== 'text') {
          const changes = await records.changesAfter(sequence, CHANGES);
          if (changes.length === CHANGES) {
            throw new ServiceError('unavailable', 'Too many documents change now: try again.', {
              retryAfterSeconds: 1,
            });
          }
          const documents = changes
            .filter((change) => change.tenantId === tenantId && change.index === index)
            .flatMap(({ document }) => document ?? []);
          const misfits = documents.filter((one) => misfitsIn(one, field, kind).length > 0);
          if (misfits.length > 0) throw misfit(misfits, field, kind);
        }
        await records.setFieldKind(tenantId, index, name, kind);
        await recordAuditEvent(
          records,
          tenantId,
          { actor: actorOf(caller), now: clock.now() },
          {
            act: 'FIELD_MODIFY',
            target: name,
            attributes: { index, ...changeAttributes({ kind: before }, { kind }) },
          },
        );
      });
    }
    const [row] = await this.#rows(
      await visibility.of(caller),
      index,
      [await fieldOf(read, tenantId, index, name)],
      signal,
    );
    if (row === undefined) throw noSuchField(index, name);
    return row;
  }

  async #rows(
    indexes: VisibleIndexes,
    index: IndexName,
    fields: readonly DynamicField[],
    signal: AbortSignal | undefined,
  ): Promise<readonly ListedField[]> {
    const options = { deadline: new Deadline(this.#sources.timeoutMs), signal };
    const buckets = await fieldBuckets(
      (plan) => indexes.search(plan, options),
      index,
      fields.map(({ field }) => field),
      { inside: examplesOf, insideMax: EXAMPLES },
    );
    return fields.map(({ field, since }, at) => ({
      ...{ index, name: field.path, kind: field.type as Kind },
      documents: buckets[at]?.doc_count ?? 0,
      examples: exampleTexts(buckets[at]),
      since: since === null ? null : new Date(since).toISOString(),
    }));
  }

  async #refuseMisfits(
    caller: Caller,
    { index, field }: Pick<DynamicField, 'index' | 'field'>,
    kind: Exclude<Kind, 'text'>,
    signal: AbortSignal | undefined,
    sequence: number,
  ): Promise<void> {
    const { visibility, progress, timeoutMs } = this.#sources;
    await progress.waitUntilSearchable(sequence, WAIT_MS);
    const indexes = await visibility.of(caller);
    const { hits } = await indexes.search(
      {
        targets: [{ index, query: misfitQuery(field, kind) }],
        ...{ sort: [], from: 0, size: MISFITS, trackTotal: false },
        source: { includes: [], excludes: [], nested: field.nested !== null },
      },
      { deadline: new Deadline(timeoutMs), signal },
    );
    if (hits.length > 0) throw misfit(hits, field, kind);
  }
}

/** @throws ServiceError `not_found` */
async function fieldOf(
  records: Pick<Records, 'dynamicFields'>,
  tenantId: string,
  index: IndexName,
  name: string,
): Promise<DynamicField> {
  const fields = await records.dynamicFields(tenantId);
  const found = fields.find((one) => one.index === index && one.field.path === name);
  if (found === undefined) throw noSuchField(index, name);
  return found;
}

function noSuchField(index: IndexName, name: string): ServiceError {
  return new ServiceError('not_found', `${index} has no dynamic field with that name.`, {
    causes: [
      `name ${JSON.stringify(cut(name))}: only fields such as attributes.department have a kind that can be set`,
    ],
  });
}

function readKind(body: unknown): Kind {
  const members = typeof body === 'object' && body !== null ? Object.entries(body) : [];
  const [[name, value] = []] = members;
  const kind = FIELD_KINDS.find((one) => one === value);
  if (members.length === 1 && name === 'kind' && kind !== undefined) return kind;
  throw new ServiceError('request_invalid', 'The change cannot be read.', {
    causes: [`the body must be {"kind": "text"}, or another of ${FIELD_KINDS.join(', ')}`],
  });
}

/** The refusal of a kind, with values of these documents that do not fit. */
function misfit(
  documents: readonly Pick<StoredDocument, 'id' | 'root' | 'nested'>[],
  field: Field,
  kind: Exclude<Kind, 'text'>,
): ServiceError {
  const causes = documents.flatMap((document) =>
    misfitsIn(document, field, kind).map(
      (value) =>
        `${cut(JSON.stringify(value))} in the document ${document.id} is not ${REQUIRED[kind]}`,
    ),
  );
  return new ServiceError(
    'illegal_value',
    `A value of ${field.path} is not ${REQUIRED[kind]}, so its kind cannot be ${kind}.`,
    { causes: causes.slice(0, MISFITS) },
  );
}

function examplesOf(field: Field): Aggregations {
  const order = [{ by: 'count', order: 'desc' }] as const;
  return {
    examples: {
      kind: 'terms',
      source: valuesOf(field),
      ...{ size: EXAMPLES, minDocCount: 1, order, aggregations: {} },
    },
  };
}

function exampleTexts(bucket: FieldBucket | undefined): readonly string[] {
  const examples = bucket?.['examples'] as
    | { readonly buckets: readonly { readonly key: unknown; readonly key_as_string?: string }[] }
    | undefined;
  return (examples?.buckets ?? []).map(({ key, key_as_string: text }) => cut(text ?? String(key)));
}

function cut(text: string): string {
  return text.length > EXAMPLE_LENGTH ? `${text.slice(0, EXAMPLE_LENGTH - 1)}…` : text;
}
