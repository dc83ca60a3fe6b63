// The console: the page that the address names, inside the frame that all pages share. Without a session every page
// is the one to sign in on; the address stays, so whoever signs in again is where they were.
import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { session } from './api/session.ts';
import type { PageProps } from './page-props.ts';
import { SearchPage } from './search/search-page.tsx';
import { Shell } from './shell.tsx';
import { SignIn } from './sign-in.tsx';
import { Empty, Waiting } from './ui/notice.tsx';
import { type Route, useRoute } from './ui/route.ts';
import { useCell } from './ui/use-cell.ts';

type Page = ComponentType<PageProps>;

/** Pages by the first part of their path. The search comes with the console, others when they are asked for. */
const PAGES: Readonly<Record<string, () => Promise<Page>>> = {
  document: async () => (await import('./document/document-page.tsx')).DocumentPage,
  profiles: async () => (await import('./profiles/profiles-page.tsx')).ProfilesPage,
  dashboard: async () => (await import('./dashboards/dashboards-page.tsx')).DashboardsPage,
  operations: async () => (await import('./operations/operations-page.tsx')).OperationsPage,
  users: async () => (await import('./users/users-page.tsx')).UsersPage,
};

export function App() {
  const signedIn = useCell(session) !== null;
  const route = useRoute();
  const [name = 'search'] = route.path;
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    main.current?.focus({ preventScroll: true });
  }, [name]);
  if (!signedIn) return <SignIn />;
  return (
    <Shell place={name} main={main}>
      {name === 'search' ? (
        <SearchPage route={route} />
      ) : (
        <Fetched name={name} route={route} key={name} />
      )}
    </Shell>
  );
}

function Fetched({ name, route }: { name: string; route: Route }) {
  const [page, setPage] = useState<{ Page: Page } | 'missing' | 'failed' | null>(null);
  useEffect(() => {
    const fetchPage = Object.hasOwn(PAGES, name) ? PAGES[name] : undefined;
    if (fetchPage === undefined) {
      setPage('missing');
      return;
    }
    fetchPage().then(
      (Page) => setPage({ Page }),
      () => setPage('failed'),
    );
  }, [name]);
  if (page === null) return <Waiting />;
  if (page === 'missing')
    return <Empty title="There is no such page">The address may have been cut.</Empty>;
  if (page === 'failed') {
    return (
      <Empty icon="alert" title="This page could not be fetched">
        <button type="button" class="button" onClick={() => location.reload()}>
          Load the console again
        </button>
      </Empty>
    );
  }
  return <page.Page route={route} />;
}
