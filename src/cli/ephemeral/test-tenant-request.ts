// What a tenant of a throw-away server is created with, and the defaults; apart from what creates
// it, so that the help of the command does not load that.

/** Enough for one person in each role of the company, and created in a tenth of a second. */
export const IDENTITIES_DEFAULT = 50;

export interface TestTenantRequest {
  readonly name: string;
  readonly seed: number;
  /** 0 for an empty tenant with one administrator. */
  readonly identities: number;
  readonly profiles: number;
  /** The reference date of the company, ISO 8601. */
  readonly date: string;
  /** Further documents, in the form of the public search API. */
  readonly documents?: readonly object[];
  /** The name of a file, or the fixture itself. */
  readonly fixture?: string | object;
}

/** The number of identities that are generated: none beside those of a fixture. */
export function identitiesByDefault(fixture: string | object | undefined): number {
  return fixture === undefined ? IDENTITIES_DEFAULT : 0;
}

/** The start of the day (UTC) of an instant in epoch milliseconds. */
export function startOfDay(instant: number): string {
  return `${new Date(instant).toISOString().slice(0, 10)}T00:00:00.000Z`;
}
