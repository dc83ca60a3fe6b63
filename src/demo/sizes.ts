// What the demo company may be generated from: its numbers of identities and profiles, and its seed.
// Apart from the generators, so that the help of a command does not load them.

/** The default and the maximum number of identities. */
export const IDENTITIES_DEFAULT = 2000;
export const IDENTITIES_MOST = 2_000_000;

/** The default of a company of 2,000 or more, and the maximum number of profiles. */
export const PROFILES_DEFAULT = 5000;
export const PROFILES_MOST = 1_000_000;
const PROFILES_PER_IDENTITY = PROFILES_DEFAULT / IDENTITIES_DEFAULT;

/** The number of profiles if none is given: fewer in a small company. */
export function profilesByDefault(identities: number): number {
  return Math.min(PROFILES_DEFAULT, Math.ceil(PROFILES_PER_IDENTITY * identities));
}

/** The default and the maximum seed. */
export const SEED_DEFAULT = 1;
export const SEED_MOST = 2 ** 31 - 1;
