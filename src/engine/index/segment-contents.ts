// The table of contents of a segment: its structures and the location of their sections. Nothing
// else is parsed when a segment is opened; its size depends on the number of fields, not of
// documents.
import type { CatchAllRef } from '../fields/catch-all.ts';
import type { FieldRef } from '../fields/field-column.ts';
import type { DictionaryRef } from '../fields/term-dictionary.ts';
import type { SectionRef } from '../sections/section-ref.ts';
import type { StoredFieldsRef } from './stored-fields.ts';

export interface SegmentContents {
  readonly docCount: number;
  /** The ids by row: the ordinal of an id is its row. */
  readonly ids: DictionaryRef;
  readonly versions: SectionRef;
  readonly root: TableRef;
  readonly nested: readonly TableRef[];
  readonly catchAll: CatchAllRef;
  readonly sources: StoredFieldsRef;
}

export interface TableRef {
  readonly path: string | null;
  readonly rowCount: number;
  /** Nested tables only. */
  readonly parent?: SectionRef;
  readonly firstRow?: SectionRef;
  /** By field path, in path order. */
  readonly fields: readonly (readonly [path: string, ref: FieldRef])[];
}
