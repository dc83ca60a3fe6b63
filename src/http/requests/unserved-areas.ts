// Programs that call an area of the public API that Cardea does not have, or of which it serves a part,
// get a cause that says so, instead of a path that looks misspelt; so does who opens a page of the
// vendor's service, or calls an API of it that is older or private, as its guides name them.
import { ServiceError } from '../../errors.ts';
import { PATH_VERSIONS } from './path-versions.ts';
import {
  AREAS_BELOW,
  PROFILE_AREAS,
  PUBLIC_AREAS,
  READ_ONLY_SEGMENTS,
  SERVED_SEGMENTS,
} from './public-areas.ts';

/** The names of the areas by segment: one may belong to several. The name of an area is one, too. */
const AREAS_OF_SEGMENT: ReadonlyMap<string, readonly string[]> = areasOfSegments();
const VERSIONED = new RegExp(`^(?:${PATH_VERSIONS.join('|')})/([^/?]+)([^?]*)`);
const UNVERSIONED = /^\/([^/?]+)\/v[12](?![^/?])([^?]*)/;
const PROFILES = /^\/api(?![^/?])(?:\/(v\d+)(?![^/?]))?(?:\/([^/?]+))?/;

/** What the vendor's guides have under other first segments than versions and areas, and what to use here. */
const ELSEWHERE: readonly (readonly [path: RegExp, cause: string])[] = [
  [
    /^\/v2(?![^/?])/,
    `/v2 is an earlier API, which Cardea does not have; the versions are ${PATH_VERSIONS.join(', ')}`,
  ],
  [
    /^\/cc(?![^/?])/,
    `/cc/api is a private API, which Cardea does not have; the versions of the public one are ${PATH_VERSIONS.join(', ')}`,
  ],
  [/^\/ui(?![^/?])/, 'there are no pages below /ui: the web console is at /console'],
  [
    /^\/(?:oauth\/authorize|logout)(?![^?])/,
    'there is no sign-in page: request a token with grant_type=client_credentials at /oauth/token',
  ],
];

function areasOfSegments(): ReadonlyMap<string, readonly string[]> {
  const areas = new Map<string, string[]>();
  for (const [area, segments] of Object.entries(PUBLIC_AREAS)) {
    for (const segment of segments) areas.set(segment, [...(areas.get(segment) ?? []), area]);
  }
  for (const area of Object.keys(PUBLIC_AREAS)) if (!areas.has(area)) areas.set(area, [area]);
  return areas;
}

/**
 * The cause for a path that is not served, or not with its method.
 * @param path as requested; what follows a `?` does not count
 * @returns null where the path belongs to no known area
 */
export function unservedCause(path: string): string | null {
  const elsewhere = ELSEWHERE.find(([pattern]) => pattern.test(path));
  if (elsewhere !== undefined) return elsewhere[1];
  const profiles = PROFILES.exec(path);
  if (profiles !== null) return unservedProfileCause(profiles[1], profiles[2]);
  const { segment } = partsOf(path);
  const below = areasBelow(path);
  const areas = below.length > 0 ? below : (AREAS_OF_SEGMENT.get(segment) ?? []);
  if (areas.length === 0) return null;
  const name = named([segment]);
  if (below.length === 0 && READ_ONLY_SEGMENTS.includes(segment)) {
    return `${name}: Cardea does not have this operation, it only reads ${name} (${segment})`;
  }
  if (below.length === 0 && SERVED_SEGMENTS.includes(segment)) {
    return `${name}: Cardea does not have this operation of the area (${areas.join(', ')})`;
  }
  return `${named(areas)}: Cardea does not have this area of the public API (${areas.join(', ')})`;
}

/** The cause for a path of profile management, given its version and the segment after it. */
function unservedProfileCause(version = 'v1', segment = ''): string | null {
  if (PROFILE_AREAS.includes(segment)) {
    return `${named([segment])}: Cardea does not have this area of profile management (${segment})`;
  }
  // Names of profile management have no hyphens; a guide calls an area of the other API below /api.
  const areas = segment.includes('-') ? AREAS_OF_SEGMENT.get(segment) : undefined;
  if (areas !== undefined) {
    return `${named(areas)}: this area of the public API is not below /api (${areas.join(', ')})`;
  }
  if (version === 'v1') return null;
  return `the paths of profile management begin with /api or /api/v1, not with /api/${version}`;
}

/** The fault of a path that is not served. */
export function routeNotFound(path: string): ServiceError {
  const cause = unservedCause(path);
  const causes = cause === null ? [] : [cause];
  return new ServiceError('route_not_found', 'Nothing is served at this path.', { causes });
}

/**
 * The areas of a path below a served segment that belongs to another area, such as
 * `/v3/accounts/search-attribute-config`, which looks like the id of an account.
 */
export function areasBelow(path: string): readonly string[] {
  const { segment, rest } = partsOf(path);
  const below = Object.hasOwn(AREAS_BELOW, segment) ? (AREAS_BELOW[segment] ?? {}) : {};
  return rest.split('/').flatMap((part) => (Object.hasOwn(below, part) ? (below[part] ?? []) : []));
}

/** The first segment of the area, and what follows it without the query. */
function partsOf(path: string): { readonly segment: string; readonly rest: string } {
  const [, segment = '', rest = ''] = VERSIONED.exec(path) ?? UNVERSIONED.exec(path) ?? [];
  return { segment, rest };
}

function named(names: readonly string[]): string {
  return names.map((name) => name.replace(/[-_]/g, ' ')).join(', ');
}
