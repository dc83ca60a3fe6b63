// The root component: shows the page of the current route inside the shared frame, or the sign-in
// page without a session. Signing in keeps the address, and so returns to the same page.
import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { isJoining, session } from './api/session.ts';
import type { PageProps } from './page-props.ts';
import { SearchPage } from './search/search-page.tsx';
import { Shell } from './shell.tsx';
import { SignIn } from './sign-in.tsx';
import { followLink } from './sign-in-link.ts';
import { Empty, Waiting } from './ui/notice.tsx';
import { type Route, useRoute } from './ui/route.ts';
import { useCell } from './ui/use-cell.ts';

type Page = ComponentType<PageProps>;

/** Pages by the first segment of the route, loaded on first use; the search page is built in. */
const PAGES: Readonly<Record<string, () => Promise<Page>>> = {
  compare: async () => (await import('./compare/compare-page.tsx')).ComparePage,
  document: async () => (await import('./document/document-page.tsx')).DocumentPage,
  profiles: async () => (await import('./profiles/profiles-page.tsx')).ProfilesPage,
  dashboard: async () => (await import('./dashboards/dashboards-page.tsx')).DashboardsPage,
  operations: async () => (await import('./operations/operations-page.tsx')).OperationsPage,
  tests: async () => (await import('./tests/tests-page.tsx')).TestsPage,
  users: async () => (await import('./users/users-page.tsx')).UsersPage,
};

export function App() {
  const signedIn = useCell(session) !== null;
  const joining = useCell(isJoining);
  const route = useRoute();
  const [name = 'search'] = route.path;
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    // Unless the page itself took the focus, as the query box does after "/".
    if (main.current?.contains(document.activeElement)) return;
    main.current?.focus({ preventScroll: true });
  }, [name]);
  const [isFollowing, setFollowing] = useState(name === 'sign-in');
  useEffect(() => {
    if (name !== 'sign-in') return;
    setFollowing(true);
    void followLink(route.parameters.get('code') ?? '').then(() => setFollowing(false));
  }, [name]);
  // An open tab may hand over its session, and a link may start one.
  if (isFollowing) return <Waiting label="Signing in" />;
  if (!signedIn) return joining ? <Waiting label="Signing in" /> : <SignIn />;
  return (
    <Shell page={name} main={main}>
      {name === 'search' ? (
        <SearchPage route={route} />
      ) : (
        <LazyPage name={name} route={route} key={name} />
      )}
    </Shell>
  );
}

function LazyPage({ name, route }: { name: string; route: Route }) {
  const [page, setPage] = useState<{ Page: Page } | 'missing' | 'failed' | null>(null);
  useEffect(() => {
    const loadPage = Object.hasOwn(PAGES, name) ? PAGES[name] : undefined;
    if (loadPage === undefined) {
      setPage('missing');
      return;
    }
    loadPage().then(
      (Page) => setPage({ Page }),
      () => setPage('failed'),
    );
  }, [name]);
  if (page === null) return <Waiting />;
  if (page === 'missing') return <Empty title="Page not found">The link may be incomplete.</Empty>;
  if (page === 'failed') {
    return (
      <Empty icon="alert" title="This page could not be loaded">
        <button type="button" class="button" onClick={() => location.reload()}>
          Reload the console
        </button>
      </Empty>
    );
  }
  return <page.Page route={route} />;
}
