// The value of --expires.

/**
 * The instant that a user means: a day stands for its first instant in UTC, `never` for null. Any other text is returned as it
 * is, for the use case to check.
 */
export function instantOf(expires: string): string | null {
  if (expires === 'never') return null;
  return /^\d{4}-\d\d-\d\d$/.test(expires) ? `${expires}T00:00:00Z` : expires;
}
