// A section of a document's page.
import type { ComponentType } from 'preact';

/** A section, shown as a tab. */
export interface Section {
  readonly name: string;
  readonly label: string;
  readonly count?: number;
  readonly Body: ComponentType;
}
