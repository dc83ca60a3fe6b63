// The members of views that the console reads and writes.
import type { IndexName } from '../../../src/query/query.ts';

/** What a view shows. */
export interface ViewDefinition {
  readonly name: string;
  readonly description: string;
  /** By index, the query of the visible documents, `*` for all; of others nothing is visible. */
  readonly indices: Readonly<Partial<Record<IndexName, string>>>;
  /** Fields that it hides, each with all that is below it. */
  readonly hide: readonly string[];
}

export interface View extends ViewDefinition {
  /** ISO 8601. */
  readonly created: string;
  readonly modified: string;
}
