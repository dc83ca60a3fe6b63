// A part of a document's page.
import type { ComponentType } from 'preact';

/** A tab of the page. */
export interface Section {
  readonly name: string;
  readonly label: string;
  readonly count?: number;
  readonly Body: ComponentType;
}
