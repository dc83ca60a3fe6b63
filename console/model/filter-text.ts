// A filter of the search API in words, for filters that are neither facet values nor the time range.
// Such filters come from saved searches of other programs.

interface Bound {
  readonly value?: unknown;
  readonly inclusive?: unknown;
}

interface Filter {
  readonly type?: unknown;
  readonly exclude?: unknown;
  readonly terms?: readonly unknown[];
  readonly range?: { readonly lower?: Bound; readonly upper?: Bound };
}

/** `exists`, `not A or B`, `from 2025-01-01 to before 2025-02-01`. */
export function filterText(filter: unknown): string {
  if (typeof filter !== 'object' || filter === null) return JSON.stringify(filter);
  const { exclude } = filter as Filter;
  const text = conditionText(filter as Filter);
  return exclude === true ? `not ${text}` : text;
}

function conditionText(filter: Filter): string {
  const { terms, range } = filter;
  // The service takes the type from the member that is there.
  const { type = range === undefined ? 'TERMS' : 'RANGE' } = filter;
  if (type === 'EXISTS') return 'exists';
  if (type === 'RANGE' && range !== undefined) {
    const { lower, upper } = range;
    const from = lower === undefined ? '' : `${lower.inclusive === true ? 'from' : 'after'} `;
    const to = upper === undefined ? '' : `${upper.inclusive === true ? 'to' : 'before'} `;
    return [`${from}${lower?.value ?? ''}`, `${to}${upper?.value ?? ''}`]
      .filter((part) => part !== '')
      .join(' ');
  }
  return type === 'TERMS' && Array.isArray(terms) ? terms.join(' or ') : JSON.stringify(filter);
}
