// Where sections stand in an index file, as the table of contents of a segment names them.

/** Where a section stands: byte offset, number of elements, and its own number. The reader knows the element type. */
export type SectionRef = readonly [offset: number, count: number, section: number];

/** A section that is read by pages. */
export interface PagedRef {
  readonly bytes: SectionRef;
  /** By page. */
  readonly checksums: SectionRef;
}
