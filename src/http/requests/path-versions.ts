// The versions of the public API in the first segment of a path, as data: routes, faults of unknown
// paths and tests read this one list. The newest clients put the version behind the area instead.
// One route serves all versions: a route for each would delay the start by tens of milliseconds.

/** The version prefixes; all behave alike. */
export const PATH_VERSIONS = ['/v3', '/v2024', '/v2025', '/v2026', '/beta'] as const;

/** The first segment of routes that each version has, as the router reads it. */
const VERSION = `/:version(${PATH_VERSIONS.map((version) => version.slice(1)).join('|')})`;

/**
 * The routes of a public area: `/:version(v3|…)/search` and `/search/v1`.
 * @param area first segment of the area's own path, e.g. `/search`
 */
export function publicRoutes(area: string): string[] {
  return [VERSION + area, `${area}/v1`];
}

/** The path of a route under one version; a route without versions is its own path. */
export function pathOfVersion(route: string, version: string): string {
  return route.startsWith(VERSION) ? version + route.slice(VERSION.length) : route;
}

/** The paths of a route: of one with versions, that under each of them. */
export function pathsOf(route: string): string[] {
  return route.startsWith(VERSION)
    ? PATH_VERSIONS.map((version) => pathOfVersion(route, version))
    : [route];
}

/** The prefixes of a public area, each with the area: `/v3/search`, …, `/search/v1`. */
export function publicPrefixes(area: string): string[] {
  return publicRoutes(area).flatMap(pathsOf);
}
