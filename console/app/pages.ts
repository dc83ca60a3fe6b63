// The pages of the console: one row for each, in the order of the navigation. To add a page, add a
// row; its component is loaded on first use.
import type { ComponentType } from 'preact';
import type { Operation } from '../../src/auth/access.ts';
import { INDEX_NAMES } from '../../src/query/mapping/document-types.ts';
import type { IndexName } from '../../src/query/query.ts';
import type { Person } from '../api/claims.ts';
import { isRestricted, mayUser } from '../api/rights.ts';
import type { IconName } from '../ui/icon.tsx';
import type { PageProps } from '../ui/page-props.ts';

/** What decides which pages the navigation lists. */
export interface Offer {
  readonly person: Person;
  /** The server has the powers for tests, and the user may use them. */
  readonly isForTests: boolean;
  /** The tenant is the mirror of another one, and the user may see its state. */
  readonly isMirror: boolean;
  /** The types of documents that the session finds any of. */
  readonly types: readonly IndexName[];
}

export interface PageRow {
  /** The first segment of its address. */
  readonly name: string;
  readonly label: string;
  readonly icon: IconName;
  /** Pages of one group stand together; a line separates the groups. */
  readonly group: 'tenant' | 'tests' | 'service';
  /** True if the navigation lists it. */
  readonly isOffered: (offer: Offer) => boolean;
  /** null: the page is part of the first load. */
  readonly load: (() => Promise<ComponentType<PageProps>>) | null;
}

const to =
  (operation: Operation) =>
  ({ person }: Offer) =>
    mayUser(person, operation);

/** Offered to who may do an operation and finds documents of one of these types. */
const toFindersOf =
  (operation: Operation, indices: readonly IndexName[]) =>
  ({ person, types }: Offer) =>
    mayUser(person, operation) && indices.some((index) => types.includes(index));

export const PAGES: readonly PageRow[] = [
  {
    ...{ name: 'search', label: 'Search', icon: 'search', group: 'tenant' },
    isOffered: toFindersOf('search', INDEX_NAMES),
    load: null,
  },
  {
    ...{ name: 'dashboard', label: 'Dashboards', icon: 'chart', group: 'tenant' },
    // The built-in dashboard has tiles about these.
    isOffered: toFindersOf('search:aggregate', ['identities', 'events', 'accountactivities']),
    load: async () => (await import('../pages/dashboards/dashboards-page.tsx')).DashboardsPage,
  },
  {
    ...{ name: 'profiles', label: 'Profiles', icon: 'cards', group: 'tenant' },
    isOffered: to('profiles:read'),
    load: async () => (await import('../pages/profiles/profiles-page.tsx')).ProfilesPage,
  },
  {
    ...{ name: 'users', label: 'Auth users', icon: 'shield', group: 'tenant' },
    // Through a view nobody reads auth users but their own.
    isOffered: ({ person }) => mayUser(person, 'auth-user:read-own') && !isRestricted(person),
    load: async () => (await import('../pages/users/users-page.tsx')).UsersPage,
  },
  {
    ...{ name: 'mirror', label: 'Mirror', icon: 'mirror', group: 'tests' },
    isOffered: ({ isMirror }) => isMirror,
    load: async () => (await import('../pages/mirror/mirror-page.tsx')).MirrorPage,
  },
  {
    ...{ name: 'tests', label: 'Tests', icon: 'flask', group: 'tests' },
    isOffered: ({ isForTests }) => isForTests,
    load: async () => (await import('../pages/tests/tests-page.tsx')).TestsPage,
  },
  {
    ...{ name: 'advice', label: 'Advice', icon: 'bulb', group: 'tests' },
    isOffered: ({ isForTests }) => isForTests,
    load: async () => (await import('../pages/tests/advice-page.tsx')).AdvicePage,
  },
  {
    ...{ name: 'audit', label: 'Audit', icon: 'audit', group: 'service' },
    isOffered: toFindersOf('search', ['events']),
    load: async () => (await import('../pages/audit/audit-page.tsx')).AuditPage,
  },
  {
    ...{ name: 'tokens', label: 'Tokens', icon: 'key', group: 'service' },
    isOffered: to('pat:own:read'),
    load: async () => (await import('../pages/credentials/tokens-page.tsx')).TokensPage,
  },
  {
    ...{ name: 'clients', label: 'Clients', icon: 'plug', group: 'service' },
    isOffered: to('oauth-client:manage'),
    load: async () => (await import('../pages/credentials/clients-page.tsx')).ClientsPage,
  },
  {
    ...{ name: 'views', label: 'Views', icon: 'view', group: 'service' },
    isOffered: to('admin'),
    load: async () => (await import('../pages/views/views-page.tsx')).ViewsPage,
  },
  {
    ...{ name: 'status', label: 'Status', icon: 'gauge', group: 'service' },
    isOffered: () => true,
    load: async () => (await import('../pages/status/status-page.tsx')).StatusPage,
  },
  {
    ...{ name: 'data', label: 'Data', icon: 'database', group: 'service' },
    isOffered: toFindersOf('search:aggregate', INDEX_NAMES),
    load: async () => (await import('../pages/data/data-page.tsx')).DataPage,
  },
];

/**
 * The page of an address without one: the first that the user may use.
 * @param types as in `Offer`
 */
export function firstPage(person: Person, types: readonly IndexName[]): string {
  const offer = { person, isForTests: false, isMirror: false, types };
  return PAGES.find(({ isOffered }) => isOffered(offer))?.name ?? 'status';
}

/** Pages that links lead to, and the navigation does not list. */
const OTHERS: readonly Pick<PageRow, 'name' | 'label' | 'load'>[] = [
  {
    ...{ name: 'compare', label: 'Compare people' },
    load: async () => (await import('../pages/compare/compare-page.tsx')).ComparePage,
  },
  {
    ...{ name: 'document', label: 'Document' },
    load: async () => (await import('../pages/document/document-page.tsx')).DocumentPage,
  },
];

/** Loads the page of a name; null: there is no such page. */
export function loaderOf(name: string): PageRow['load'] {
  return pageNamed(name)?.load ?? null;
}

/** The label of a page, for the title of the window; it is the same for every document. */
export function labelOf(name: string): string {
  return pageNamed(name)?.label ?? 'Page not found';
}

/** True if a view keeps a page from somebody who would otherwise be offered it. */
export function isKeptByView(name: string, person: Person, types: readonly IndexName[]): boolean {
  const page = PAGES.find((row) => row.name === name);
  if (page === undefined || !isRestricted(person)) return false;
  return !page.isOffered({ person, isForTests: false, isMirror: false, types });
}

function pageNamed(name: string) {
  return [...PAGES, ...OTHERS].find((page) => page.name === name);
}
