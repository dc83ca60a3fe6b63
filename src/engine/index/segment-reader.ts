// A segment opened from its bytes: the checksum is verified, the table of contents parsed, and every structure is a
// view made when it is first asked for.
import { openCatchAll } from './catch-all.ts';
import { type Checksum, crc32 } from './checksum.ts';
import { SectionReader } from './codec.ts';
import type { FieldRef } from './field-column.ts';
import { openNumberIndex } from './number-index.ts';
import type {
  CatchAll,
  NumberIndex,
  Segment,
  StoredFields,
  Table,
  TermDictionary,
  ValueIndex,
  WordIndex,
} from './segment.ts';
import type { SegmentContents, TableRef } from './segment-contents.ts';
import type { SourceCache } from './source-cache.ts';
import { openStoredFields, type SourceReader } from './stored-fields.ts';
import { openTerms } from './term-dictionary.ts';
import { openValueIndex } from './value-index.ts';
import { openWordIndex } from './word-index.ts';

export interface OpenOptions {
  /** CRC-32 for the index and the sources; the platform's own is faster. */
  readonly checksum?: Checksum;
  /** `verified`: the index bytes are known to be sound (just built, or checked by another thread). */
  readonly index?: 'verified';
  /** Shared by all segments that searches see; without it every source is read and checked anew. */
  readonly sourceCache?: SourceCache;
}

/**
 * @param index the index file; copied unless it stands at a multiple of 8 in its buffer
 * @throws CorruptSegmentError
 */
export function openSegment(
  name: string,
  index: Uint8Array,
  sources: SourceReader,
  options: OpenOptions = {},
): Segment {
  const checksum = options.checksum ?? crc32;
  const sections = new SectionReader(name, index, options.index === 'verified' ? null : checksum);
  const contents = sections.contents as SegmentContents;
  const stored = openStoredFields(
    name,
    sections,
    contents.sources,
    sources,
    checksum,
    options.sourceCache,
  );
  return new StoredSegment(name, sections, contents, stored, index.length);
}

/** A reader of sources that are in memory. */
export function memorySource(bytes: Uint8Array): SourceReader {
  return {
    size: bytes.length,
    read: (offset, length) => bytes.subarray(offset, offset + length),
  };
}

class StoredSegment implements Segment {
  readonly name: string;
  readonly docCount: number;
  readonly ids: TermDictionary;
  readonly root: Table;
  readonly nested: ReadonlyMap<string, Table>;
  readonly catchAll: CatchAll;
  readonly sources: StoredFields;
  readonly versions: Float64Array;
  readonly sizeInBytes: number;

  constructor(
    name: string,
    sections: SectionReader,
    contents: SegmentContents,
    sources: StoredFields,
    sizeInBytes: number,
  ) {
    this.name = name;
    this.docCount = contents.docCount;
    this.ids = openTerms(sections, contents.ids);
    this.root = new StoredTable(sections, contents.root);
    this.nested = new Map(
      contents.nested.map((ref) => [ref.path ?? '', new StoredTable(sections, ref)]),
    );
    this.catchAll = openCatchAll(sections, contents.catchAll);
    this.sources = sources;
    this.versions = sections.float64(contents.versions);
    this.sizeInBytes = sizeInBytes;
  }
}

class StoredTable implements Table {
  readonly path: string | null;
  readonly rowCount: number;
  readonly parent: Int32Array | null;
  readonly firstRow: Int32Array | null;
  readonly #sections: SectionReader;
  readonly #fields: ReadonlyMap<string, FieldRef>;
  readonly #words = new Map<string, WordIndex>();
  readonly #values = new Map<string, ValueIndex>();
  readonly #numbers = { value: new Map(), date: new Map(), number: new Map() } as const satisfies {
    [column: string]: Map<string, NumberIndex>;
  };

  constructor(sections: SectionReader, ref: TableRef) {
    this.path = ref.path;
    this.rowCount = ref.rowCount;
    this.parent = ref.parent === undefined ? null : sections.int32(ref.parent);
    this.firstRow = ref.firstRow === undefined ? null : sections.int32(ref.firstRow);
    this.#sections = sections;
    this.#fields = new Map(ref.fields);
  }

  words(field: string): WordIndex | undefined {
    const ref = this.#fields.get(field)?.words;
    return ref && once(this.#words, field, () => openWordIndex(this.#sections, ref));
  }

  values(field: string): ValueIndex | undefined {
    const ref = this.#fields.get(field)?.values;
    return ref && once(this.#values, field, () => openValueIndex(this.#sections, ref));
  }

  numbers(field: string, column: 'value' | 'date' | 'number'): NumberIndex | undefined {
    const ref = this.#fields.get(field)?.[column];
    return ref && once(this.#numbers[column], field, () => openNumberIndex(this.#sections, ref));
  }

  forget(field: string): void {
    this.#words.delete(field);
    this.#values.delete(field);
    for (const numbers of Object.values(this.#numbers)) numbers.delete(field);
  }
}

function once<Opened>(cache: Map<string, Opened>, field: string, open: () => Opened): Opened {
  let opened = cache.get(field);
  if (opened === undefined) {
    opened = open();
    cache.set(field, opened);
  }
  return opened;
}
