// Opens a segment from its index file: the table of contents is parsed, and each structure is read
// on first use, so data that no query needs is never in memory.

import { openCatchAll } from '../fields/catch-all.ts';
import type { FieldRef } from '../fields/field-column.ts';
import { openNumberIndex } from '../fields/number-index.ts';
import { openTerms } from '../fields/term-dictionary.ts';
import { openValueIndex } from '../fields/value-index.ts';
import { openWordIndex } from '../fields/word-index.ts';
import type { ByteCache } from '../sections/byte-cache.ts';
import { SectionReader } from '../sections/codec.ts';
import { type IndexSource, memoryIndex } from '../sections/index-source.ts';
import type {
  CatchAll,
  NumberIndex,
  Segment,
  StoredFields,
  Table,
  TermDictionary,
  ValueIndex,
  WordIndex,
} from '../sections/segment.ts';
import type { SegmentContents, TableRef } from './segment-contents.ts';
import {
  type DocumentBlock,
  openStoredFields,
  PLAIN_CODEC,
  type SegmentCodec,
  type SourceReader,
} from './stored-fields.ts';

export interface OpenOptions extends Partial<SegmentCodec> {
  /** Shared by all segments that are searched; without it rows are expected to be read in order. */
  readonly sourceCache?: ByteCache<DocumentBlock>;
}

/**
 * Reads the table of contents. All other structures are read on first use, which is also when
 * damage is detected.
 * @param index the index file, or bytes that are not verified yet
 * @throws CorruptSegmentError
 */
export function openSegment(
  name: string,
  index: IndexSource | Uint8Array,
  sources: SourceReader,
  options: OpenOptions = {},
): Segment {
  const codec = { ...PLAIN_CODEC, ...options };
  const source = index instanceof Uint8Array ? memoryIndex(index, 'unknown') : index;
  const sections = new SectionReader(name, source, codec.checksum);
  const contents = sections.contents as SegmentContents;
  const stored = openStoredFields(
    name,
    sections,
    contents.sources,
    sources,
    codec,
    options.sourceCache,
  );
  return new StoredSegment(name, sections, contents, stored, source);
}

/** Returns a reader of sources in memory. */
export function memorySource(bytes: Uint8Array): SourceReader {
  return {
    size: bytes.length,
    read: (offset, length) => bytes.subarray(offset, offset + length),
  };
}

class StoredSegment implements Segment {
  readonly name: string;
  readonly docCount: number;
  readonly root: Table;
  readonly nested: ReadonlyMap<string, Table>;
  readonly catchAll: CatchAll;
  readonly sources: StoredFields;
  readonly sizeInBytes: number;
  readonly #sections: SectionReader;
  readonly #contents: SegmentContents;
  readonly #source: IndexSource;
  #ids: TermDictionary | null = null;
  #versions: Float64Array | null = null;

  constructor(
    name: string,
    sections: SectionReader,
    contents: SegmentContents,
    sources: StoredFields,
    source: IndexSource,
  ) {
    this.name = name;
    this.docCount = contents.docCount;
    this.root = new StoredTable(sections, contents.root);
    this.nested = new Map(
      contents.nested.map((ref) => [ref.path ?? '', new StoredTable(sections, ref)]),
    );
    this.catchAll = openCatchAll(sections, contents.catchAll);
    this.sources = sources;
    this.sizeInBytes = source.byteLength;
    this.#sections = sections;
    this.#contents = contents;
    this.#source = source;
  }

  uncache(): void {
    this.sources.uncache();
    this.#source.pieces?.cache.close();
  }

  get ids(): TermDictionary {
    this.#ids ??= openTerms(this.#sections, this.#contents.ids);
    return this.#ids;
  }

  get versions(): Float64Array {
    this.#versions ??= this.#sections.float64(this.#contents.versions);
    return this.#versions;
  }
}

class StoredTable implements Table {
  readonly path: string | null;
  readonly rowCount: number;
  readonly #sections: SectionReader;
  readonly #ref: TableRef;
  #parent: Int32Array | null = null;
  #firstRow: Int32Array | null = null;
  readonly #fields: ReadonlyMap<string, FieldRef>;
  readonly #words = new Map<string, WordIndex>();
  readonly #values = new Map<string, ValueIndex>();
  readonly #numbers = { value: new Map(), date: new Map(), number: new Map() } as const satisfies {
    [column: string]: Map<string, NumberIndex>;
  };

  constructor(sections: SectionReader, ref: TableRef) {
    this.path = ref.path;
    this.rowCount = ref.rowCount;
    this.#sections = sections;
    this.#ref = ref;
    this.#fields = new Map(ref.fields);
  }

  get parent(): Int32Array | null {
    const { parent } = this.#ref;
    if (parent !== undefined) this.#parent ??= this.#sections.int32(parent);
    return this.#parent;
  }

  get firstRow(): Int32Array | null {
    const { firstRow } = this.#ref;
    if (firstRow !== undefined) this.#firstRow ??= this.#sections.int32(firstRow);
    return this.#firstRow;
  }

  words(field: string): WordIndex | undefined {
    const ref = this.#fields.get(field)?.words;
    return ref && getOrOpen(this.#words, field, () => openWordIndex(this.#sections, ref));
  }

  values(field: string): ValueIndex | undefined {
    const ref = this.#fields.get(field)?.values;
    return ref && getOrOpen(this.#values, field, () => openValueIndex(this.#sections, ref));
  }

  numbers(field: string, column: 'value' | 'date' | 'number'): NumberIndex | undefined {
    const ref = this.#fields.get(field)?.[column];
    return (
      ref && getOrOpen(this.#numbers[column], field, () => openNumberIndex(this.#sections, ref))
    );
  }

  forget(field: string): void {
    this.#words.delete(field);
    this.#values.delete(field);
    for (const numbers of Object.values(this.#numbers)) numbers.delete(field);
  }
}

function getOrOpen<Opened>(cache: Map<string, Opened>, field: string, open: () => Opened): Opened {
  let opened = cache.get(field);
  if (opened === undefined) {
    opened = open();
    cache.set(field, opened);
  }
  return opened;
}
