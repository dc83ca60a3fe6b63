// Parses the value of --expires.

/**
 * Converts a day to its first instant in UTC, and `never` to null. Any other text is returned
 * unchanged for the use case to check.
 */
export function instantOf(expires: string): string | null {
  if (expires === 'never') return null;
  return /^\d{4}-\d\d-\d\d$/.test(expires) ? `${expires}T00:00:00Z` : expires;
}
