// Lists of dictionary ordinals, -1 for no value, with one, two or four bytes per ordinal depending
// on the size of the dictionary. Four-byte ordinals are read in place; narrower ones are widened
// when read.

import type { SectionReader, SectionWriter } from '../sections/codec.ts';
import type { SectionRef } from '../sections/section-ref.ts';

export interface OrdinalsRef {
  /** Bytes per ordinal; below four, ordinals are stored plus 1, and 0 is no value. */
  readonly width: 1 | 2 | 4;
  readonly ords: SectionRef;
}

/** @param size of the dictionary */
export function writeOrdinals(
  sections: SectionWriter,
  ords: Int32Array,
  size: number,
): OrdinalsRef {
  const width = size < 0xff ? 1 : size < 0xffff ? 2 : 4;
  if (width === 4) return { width, ords: sections.add(ords) };
  const narrow = width === 1 ? new Uint8Array(ords.length) : new Uint16Array(ords.length);
  for (let i = 0; i < ords.length; i++) narrow[i] = ords[i]! + 1;
  return { width, ords: sections.add(narrow) };
}

export function readOrdinals(sections: SectionReader, { width, ords }: OrdinalsRef): Int32Array {
  if (width === 4) return sections.int32(ords);
  const narrow = width === 1 ? sections.bytes(ords) : sections.uint16(ords);
  const wide = new Int32Array(narrow.length);
  for (let i = 0; i < narrow.length; i++) wide[i] = narrow[i]! - 1;
  return wide;
}
