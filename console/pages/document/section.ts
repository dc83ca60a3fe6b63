// A section of a document's page.
import type { ComponentType } from 'preact';
import type { IndexName } from '../../../src/query/query.ts';

/** A section, shown as a tab. */
export interface Section {
  readonly name: string;
  readonly label: string;
  readonly count?: number;
  /** It is shown if documents of one of these types are visible; always by default. */
  readonly about?: readonly IndexName[];
  readonly Body: ComponentType;
}
