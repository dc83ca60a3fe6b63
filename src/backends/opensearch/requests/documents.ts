// A stored document in the form that OpenSearch indexes and returns: the bytes of the document, in
// which OpenSearch finds most values by itself, and what it would not find as columns beside them.
// If it would read anything differently (plain-documents.ts), all columns are written explicitly.
// Fields are read as the embedded engine reads them.
// Invariant: what the engine would not index is not indexed.
import { createHash } from 'node:crypto';
import {
  DocumentFields,
  type FieldSink,
  inPathOrder,
  type Scalar,
} from '../../../engine/fields/document-fields.ts';
import {
  booleanOf,
  dateOf,
  dateReading,
  dynamicNumber,
  foldedValue,
  longOf,
  numberOf,
  numberReading,
} from '../../../engine/fields/leaf-values.ts';
import type { Field, Mapping } from '../../../query/mapping/mapping.ts';
import { CATCH_ALL } from '../../../query/query.ts';
import type { DocumentChange } from '../../../service/ports/store.ts';
import type { StoredDocument } from '../../../service/ports/stored-document.ts';
import { type Column, columnName, encodedPath, numberTypeOf, repeatOf, STORED } from './columns.ts';
import { ID_KEYS, idKeys } from './id-keys.ts';
import { copiesOf } from './index-template.ts';
import { PlainDocuments } from './plain-documents.ts';
import { explicitSource, plainSource, rowEnds, sourceKey } from './source.ts';

/** Lucene's longest term has 32,766 bytes; a UTF-16 unit has at most three, folded or not. */
const WHOLE_VALUE_MAX = 10_922;
/** Bytes of an `_id` (OpenSearch's limit). */
const ID_BYTES_MAX = 512;
const DIGEST_MARK = '~sha256-';
const DIGEST = /~sha256-[0-9a-f]{64}$/;
const DIGEST_BYTES = DIGEST_MARK.length + 64;

type Value = string | number | boolean;
type Values = string[] | number[] | boolean[];
export type Columns = Record<string, Values | string | number | Columns[]>;

/**
 * The `_id` of a document: its id if that fits, otherwise its beginning and a digest of it. So the
 * order of `_id`s is that of the ids, unless they differ only after 440 bytes.
 */
export function documentId(id: string): string {
  const bytes = Buffer.from(id);
  if (bytes.length <= ID_BYTES_MAX) return id;
  let end = ID_BYTES_MAX - DIGEST_BYTES;
  while (((bytes[end] ?? 0) & CONTINUATION_MASK) === CONTINUATION) end -= 1;
  const digest = createHash('sha256').update(id).digest('hex');
  return `${bytes.toString('utf8', 0, end)}${DIGEST_MARK}${digest}`;
}

/** Bytes within a character in UTF-8: 10xxxxxx. */
const CONTINUATION_MASK = 0xc0;
const CONTINUATION = 0x80;

/** Whether an `_id` ends with a digest, or is an id that looks so. */
export function isDigest(_id: string): boolean {
  return DIGEST.test(_id);
}

/** The document itself, or an element of it. */
interface Row {
  /** What is written. */
  readonly columns: Columns;
  /** Columns of numbers that OpenSearch fills from the document's own. */
  readonly found: Columns;
}

/** `plain`: OpenSearch finds most columns in the document. `explicit`: all columns are written. */
type Form = 'plain' | 'explicit';

/** A change that is no deletion. */
export type WrittenChange = Pick<DocumentChange, 'tenantId' | 'sequence'> & {
  readonly document: StoredDocument;
};

/** Serializes documents of one mapping for the bulk API. */
export class DocumentWriter implements FieldSink {
  readonly #fields: DocumentFields;
  readonly #plain: PlainDocuments;
  readonly #leaves: readonly Leaf[];
  readonly #tables: readonly string[];
  readonly #constants: readonly (readonly [string, string])[];
  #form: Form = 'plain';
  #sequence = 0;
  #root = newRow({});
  #rows: Row[][] = [];
  /** All rows in the order of the document. */
  #rowsInOrder: Row[] = [];
  #words: string[] = [];
  readonly #folded = new Set<string>();
  readonly #longs = new Set<number>();

  constructor(mapping: Mapping) {
    this.#fields = new DocumentFields(mapping, this);
    this.#plain = new PlainDocuments(mapping, WHOLE_VALUE_MAX);
    this.#leaves = inPathOrder(mapping).map((field) => leafOf(field, mapping));
    this.#tables = mapping.nestedPaths.map(encodedPath);
    this.#constants = Object.entries(mapping.constants).map(([name, value]) => [
      columnName(name, 'exact'),
      value,
    ]);
  }

  /** Returns JSON on one line. */
  write({ tenantId, sequence, document }: WrittenChange): Buffer {
    const { root, nested, index, id } = document;
    const stamp = { key: sourceKey(tenantId, index, documentId(id)), sequence };
    this.#sequence = sequence;
    const parts = [{ bytes: root, value: JSON.parse(textOf(root)) as object }];
    if (nested.length > 0) {
      parts.push({ bytes: nested, value: JSON.parse(`{${textOf(nested)}}`) as object });
    }
    this.#walk(document, parts, 'plain');
    if (root.length > 2 && this.#plain.accepts(this.#rowsInOrder.length, parts)) {
      const ends = rowEnds(nested);
      const rows = this.#rowsInOrder.map(({ columns }) => columns);
      if (ends.length === rows.length) {
        return plainSource({ root, nested }, { ends, rows }, this.#root.columns, stamp);
      }
    }
    this.#walk(document, parts, 'explicit');
    const { columns } = this.#root;
    columns[columnName(CATCH_ALL, 'words')] = this.#words;
    columns[columnName(CATCH_ALL, 'folded')] = [...this.#folded];
    this.#tables.forEach((table, at) => {
      const rows = this.#rows[at] ?? [];
      if (rows.length > 0) columns[table] = rows.map((row) => row.columns);
    });
    return explicitSource({ root, nested }, columns, stamp);
  }

  addRow(table: number): number {
    const row = newRow({});
    this.#rowsInOrder.push(row);
    const rows = this.#rows[table] ?? [];
    return rows.push(row) - 1;
  }

  addValue(slot: number, row: number, value: Scalar): void {
    const leaf = this.#leaves[slot];
    if (leaf === undefined) throw new Error(`There is no field ${slot}`);
    const at = leaf.table === -1 ? this.#root : this.#rows[leaf.table]?.[row];
    if (at === undefined) throw new Error(`There is no row ${row} of ${leaf.field.path}`);
    if (leaf.field.dynamic) {
      this.#addDynamic(at, leaf, value);
      return;
    }
    switch (leaf.field.type) {
      case 'text':
        if (this.#form === 'explicit') this.#addText(at, leaf, String(value), true);
        return;
      case 'keyword':
        if (this.#form === 'explicit') this.#folded.add(addWhole(at, leaf, String(value)));
        return;
      case 'long': {
        const long = longOf(value);
        this.#addNumber(at, leaf, long);
        this.#addAnywhere(leaf, long);
        return;
      }
      case 'double':
        this.#addNumber(at, leaf, numberOf(value));
        return;
      case 'date':
        this.#addNumber(at, leaf, dateOf(value));
        return;
      case 'boolean':
        this.#addNumber(at, leaf, booleanOf(value));
        return;
    }
  }

  /** Reads the document into rows. */
  #walk(
    { index, id }: StoredDocument,
    parts: readonly { readonly value: object }[],
    form: Form,
  ): void {
    this.#form = form;
    this.#root = newRow({});
    this.#rows = this.#tables.map(() => []);
    this.#rowsInOrder = [];
    this.#words = [];
    this.#folded.clear();
    this.#longs.clear();
    for (const { value } of parts) this.#fields.walk(value, -1);
    const { columns } = this.#root;
    columns[STORED.id] = id;
    for (const [at, key] of idKeys(id).entries()) columns[ID_KEYS[at] ?? ''] = key;
    columns[STORED.index] = index;
    columns[STORED.sequence] = this.#sequence;
    for (const [name, value] of this.#constants) columns[name] = [value];
    if (this.#longs.size > 0) columns[columnName(CATCH_ALL, 'value')] = [...this.#longs];
    for (const row of [this.#root, ...this.#rowsInOrder]) addRepeats(row);
  }

  #addDynamic(row: Row, leaf: Leaf, value: Scalar): void {
    const { type } = leaf.field;
    const text = String(value);
    if (this.#form === 'explicit' || !leaf.isFound) this.#addText(row, leaf, text, type === 'text');
    addReadings(row, leaf, text);
    const number = dynamicNumber(value);
    if (number === undefined) return;
    push(row.columns, leaf.columns.value, number);
    if (type === 'long') this.#addAnywhere(leaf, number);
  }

  /** Lets an integer be found without a field; no query can match one that is not exact. */
  #addAnywhere({ isFound }: Leaf, long: number | undefined): void {
    if (this.#form === 'plain' && isFound) return;
    if (Number.isSafeInteger(long)) this.#longs.add(long as number);
  }

  /** @param isAnywhere whether words without a field find it */
  #addText(row: Row, leaf: Leaf, text: string, isAnywhere: boolean): void {
    push(row.columns, leaf.columns.words, text);
    if (isAnywhere) this.#words.push(text);
    addWhole(row, leaf, text);
  }

  #addNumber(row: Row, { field, columns, isFound }: Leaf, value: number | undefined): void {
    if (value === undefined) return;
    const type = numberTypeOf(field, 'value');
    if (Math.abs(value) >= 2 ** 63 && type !== 'double') return;
    const into = this.#form === 'explicit' || !isFound ? row.columns : row.found;
    push(into, columns.value, type === 'boolean' ? value === 1 : value);
  }
}

function newRow(columns: Columns): Row {
  return { columns, found: {} };
}

interface Leaf {
  readonly field: Field;
  /** Index of its nested path; -1 for the root. */
  readonly table: number;
  /** Whether OpenSearch fills its column from the document's own values. */
  readonly isFound: boolean;
  /** Column names within the row. */
  readonly columns: Readonly<Record<Column, string>>;
}

function leafOf(field: Field, mapping: Mapping): Leaf {
  const table = field.nested === null ? -1 : mapping.nestedPaths.indexOf(field.nested);
  const prefix = field.nested === null ? 0 : encodedPath(field.nested).length + 1;
  const name = (column: Column): string => columnName(field.path, column).slice(prefix);
  return {
    field,
    table,
    isFound: copiesOf(field) !== null,
    columns: {
      words: name('words'),
      exact: name('exact'),
      folded: name('folded'),
      value: name('value'),
      date: name('date'),
      number: name('number'),
    },
  };
}

function shortened(text: string): string {
  if (text.length <= WHOLE_VALUE_MAX) return text;
  const last = text.charCodeAt(WHOLE_VALUE_MAX - 1);
  const inPair = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, WHOLE_VALUE_MAX - (inPair ? 1 : 0));
}

/** @returns the folded value */
function addWhole({ columns: row }: Row, { columns }: Leaf, text: string): string {
  const exact = shortened(text);
  const folded = foldedValue(exact);
  push(row, columns.exact, exact);
  push(row, columns.folded, folded);
  return folded;
}

function addReadings({ columns: row }: Row, { columns }: Leaf, text: string): void {
  const date = dateReading(text);
  if (date !== undefined) push(row, columns.date, date);
  const number = numberReading(text);
  if (number !== undefined) push(row, columns.number, number);
}

function addRepeats({ columns, found }: Row): void {
  for (const [column, values] of [...Object.entries(columns), ...Object.entries(found)]) {
    if (!Array.isArray(values) || values.length < 2) continue;
    if (typeof values[0] !== 'number' && typeof values[0] !== 'boolean') continue;
    const counts = new Map<number, number>();
    for (const value of (values as (number | boolean)[]).map(Number)) {
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    for (const [value, times] of counts) {
      if (times > 1) push(columns, STORED.repeats, repeatOf(column, { value, times }));
    }
  }
}

function push(row: Columns, name: string, value: Value): void {
  const values = row[name] as Value[] | undefined;
  if (values === undefined) row[name] = [value] as Values;
  else values.push(value);
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
