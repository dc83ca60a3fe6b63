// The members of an explain response that the console shows.

/** A clause of a plan and, if a document is being explained, whether the document matches it. */
export interface Clause {
  readonly clause: string;
  readonly occurrence?: 'must' | 'should' | 'filter' | 'mustNot';
  readonly text: string;
  /** Full path of the field of a leaf. */
  readonly field?: string;
  readonly children?: readonly Clause[];
  readonly omitted?: number;
  readonly matched?: boolean;
  /** Indexes of the array elements that match. */
  readonly elements?: readonly number[];
  readonly elementCount?: number;
  readonly score?: number;
  readonly scoring?: Scoring;
  readonly shared?: unknown;
}

/** How a score was calculated. */
export interface Scoring {
  readonly value: number;
  readonly description: string;
  readonly details?: readonly Scoring[];
}

export interface Explanation {
  readonly plan: string;
  readonly targets: readonly { readonly indices: readonly string[]; readonly clauses: Clause }[];
  readonly filters: readonly unknown[];
  readonly warnings: readonly { readonly text: string }[];
  readonly matched: number;
  readonly milliseconds: Readonly<Record<string, number>>;
  readonly document?: {
    readonly matched: boolean;
    readonly score?: number;
    readonly clauses: Clause;
  };
}
