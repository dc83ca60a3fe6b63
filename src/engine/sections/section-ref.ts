// The location of sections in an index file, as the table of contents of a segment has it.

/**
 * The location of a section: byte offset, number of elements, and its number. The reader determines
 * the element type.
 */
export type SectionRef = readonly [offset: number, count: number, section: number];

/** A section that is read in pages. */
export interface PagedRef {
  readonly bytes: SectionRef;
  /** By page. */
  readonly checksums: SectionRef;
}
