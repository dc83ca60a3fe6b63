// A search that is kept: a saved search, or that of a tile of a dashboard. The console reads and
// sends the same members.

/** A column of a result. */
export interface ResultColumn {
  readonly field: string;
  /** null or left out: the name of the field. */
  readonly header?: string | null;
}

export interface SearchDefinition {
  /** At least one; `*` is every index. */
  readonly indices: readonly string[];
  /** In the query string syntax; `*` matches everything. */
  readonly query: string;
  /** By document type, such as `identity`. */
  readonly columns: Readonly<Record<string, readonly ResultColumn[]>>;
  /** The fields in which words without a field are searched; null: the default. */
  readonly fields: readonly string[] | null;
  readonly sort: readonly string[] | null;
  /** By document type; takes precedence over `sort`. */
  readonly orderBy: Readonly<Record<string, readonly string[]>> | null;
  /** The filters of a search. */
  readonly filters: Readonly<Record<string, unknown>> | null;
}

/** What a caller chooses of a saved search (contract/search.md section 8). */
export interface SavedSearchDefinition extends SearchDefinition {
  readonly name: string;
  readonly description: string | null;
  /** Whether all users of the tenant who may search see it. */
  readonly shared: boolean;
}
