// A demo company, and what each list of it must have, read from its documents.
import { demoDocuments } from '../../src/demo/documents.ts';

// biome-ignore lint/suspicious/noExplicitAny: documents of six types
export type ListedDocument = Readonly<Record<string, any>>;

export const COMPANY_DOCUMENTS = [
  ...demoDocuments({ seed: 3, identities: 300, now: Date.UTC(2026, 10, 28) }),
] as unknown as readonly ListedDocument[];

/** All accounts of the identities. */
export const COMPANY_ACCOUNTS: readonly ListedDocument[] = COMPANY_DOCUMENTS.flatMap(
  ({ accounts = [] }) => accounts,
);

const idsOf = (type: string): string[] =>
  COMPANY_DOCUMENTS.filter(({ _type }) => _type === type).map(({ id }) => id);

const sources = [...COMPANY_DOCUMENTS, ...COMPANY_ACCOUNTS].flatMap(
  ({ source }) => source?.id ?? [],
);

/** The ids of each list, by its area, in ascending order. */
export const LISTED_IDS = {
  accounts: COMPANY_ACCOUNTS.map(({ id }): string => id).sort(),
  identities: idsOf('identity').sort(),
  'public-identities': idsOf('identity').sort(),
  roles: idsOf('role').sort(),
  'access-profiles': idsOf('accessprofile').sort(),
  entitlements: idsOf('entitlement').sort(),
  sources: [...new Set(sources)].sort(),
  'account-activities': idsOf('accountactivity').sort(),
} as const;
