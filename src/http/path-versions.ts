// The versions of the public API in the first segment of a path, as data: routes, faults of unknown
// paths and tests read this one list. The newest clients put the version behind the area instead.

/** The version prefixes; all behave alike. */
export const PATH_VERSIONS = ['/v3', '/v2024', '/v2025', '/v2026', '/beta'] as const;

/**
 * The prefixes of a public area, each with the area: `/v3/search`, …, `/search/v1`.
 * @param area first segment of the area's own path, e.g. `/search`
 */
export function publicPrefixes(area: string): string[] {
  return [...PATH_VERSIONS.map((version) => version + area), `${area}/v1`];
}
