// How many identities and profiles the demo company may have; apart from the generators, so that the
// help of a command does not load them.

/** The default and the maximum number of identities. */
export const IDENTITIES_DEFAULT = 2000;
export const IDENTITIES_MOST = 1_000_000;

/** The default and the maximum number of profiles. */
export const PROFILES_DEFAULT = 5000;
export const PROFILES_MOST = 1_000_000;
