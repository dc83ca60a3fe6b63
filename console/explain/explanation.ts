// What the service answers when it explains a search, as far as it is shown.

/** A clause of a plan; with a document held against it, whether it is met. */
export interface Clause {
  readonly clause: string;
  readonly occurrence?: 'must' | 'should' | 'filter' | 'mustNot';
  readonly text: string;
  readonly children?: readonly Clause[];
  readonly omitted?: number;
  readonly matched?: boolean;
  /** Places of the elements that meet it. */
  readonly elements?: readonly number[];
  readonly elementCount?: number;
  readonly score?: number;
  readonly scoring?: Scoring;
  readonly shared?: unknown;
}

/** How a score came about. */
export interface Scoring {
  readonly value: number;
  readonly description: string;
  readonly details?: readonly Scoring[];
}

export interface Explanation {
  readonly plan: string;
  readonly targets: readonly { readonly indices: readonly string[]; readonly clauses: Clause }[];
  readonly filters: readonly unknown[];
  readonly warnings: readonly string[];
  readonly matched: number;
  readonly milliseconds: Readonly<Record<string, number>>;
  readonly document?: {
    readonly matched: boolean;
    readonly score?: number;
    readonly clauses: Clause;
  };
}
