// The root component: shows the page of the current route inside the shared frame, or the sign-in
// page without a session. Signing in keeps the address, and so returns to the same page.
import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { IndexName } from '../../src/query/query.ts';
import { isJoining, seenView, session } from '../api/session.ts';
import { visibleTypes } from '../api/views/sight.ts';
import { firstVisible, kindNamed } from '../model/kinds.ts';
import { SearchPage } from '../pages/search/search-page.tsx';
import { SignInPage } from '../sign-in/sign-in-page.tsx';
import { useSignInAnswer } from '../sign-in/use-sign-in-answer.ts';
import { Confirm } from '../ui/confirm.tsx';
import { Empty, Waiting } from '../ui/notice.tsx';
import type { PageProps } from '../ui/page-props.ts';
import { go, href, type Route } from '../ui/route.ts';
import { useCell } from '../ui/use-cell.ts';
import { isLeaving, leave, stay, useRoute } from '../ui/use-route.ts';
import { firstPage, isKeptByView, labelOf, loaderOf } from './pages.ts';
import { Shell } from './shell.tsx';

export function App() {
  const current = useCell(session);
  const joining = useCell(isJoining);
  const route = useRoute();
  const leaving = useCell(isLeaving);
  const types = useCell(visibleTypes);
  const [name = current === null ? 'search' : firstPage(current, types ?? [])] = route.path;
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    // Unless the page itself took the focus, as the query box does after "/".
    if (main.current?.contains(document.activeElement)) return;
    main.current?.focus({ preventScroll: true });
  }, [name, current === null]);
  const title = current === null ? 'Sign in' : labelOf(name);
  useEffect(() => {
    document.title = `${title} – Cardea`;
  }, [title]);
  useEffect(() => {
    // The forms of a session that has ended are gone.
    if (current === null) leave();
  }, [current]);
  useSeenViewRoute(current !== null);
  // An open tab may hand over its session; a link or the OpenID provider may start one.
  const isFinishing = useSignInAnswer(route);
  if (isFinishing) return <Waiting label="Signing in" />;
  if (current === null) return joining ? <Waiting label="Signing in" /> : <SignInPage />;
  return (
    <Shell page={name} main={main}>
      {types === null ? (
        <Waiting />
      ) : (
        // Nothing of a page outlives a change of the views.
        <Page name={name} route={route} types={types} key={current.views?.join(' ')} />
      )}
      {leaving && (
        <Confirm
          title="Leave without saving?"
          sentence="The changes on this page will be lost."
          action="Leave"
          dismissal="Stay"
          onConfirm={leave}
          onClose={stay}
        />
      )}
    </Shell>
  );
}

/** Begins at the first page when the user looks through a view, and ends at the page of the view. */
function useSeenViewRoute(isSignedIn: boolean): void {
  const seen = useCell(seenView);
  const before = useRef(seen);
  useEffect(() => {
    const left = before.current;
    before.current = seen;
    if (left === seen || !isSignedIn) return;
    go(seen === null && left !== null ? href('views', left.view) : '#/');
  }, [seen]);
}

interface ShownPageProps {
  readonly name: string;
  readonly route: Route;
  /** The types of documents that the session finds any of. */
  readonly types: readonly IndexName[];
}

/** The page of a route, unless a view keeps it from the user. */
function Page({ name, route, types }: ShownPageProps) {
  const current = useCell(session);
  if (current !== null && isKeptByView(name, current, types)) return <KeptPage />;
  if (name !== 'search') return <LazyPage name={name} route={route} key={name} />;
  const index = route.path[1] ?? firstVisible(types);
  const isKept = kindNamed(index) !== undefined && !types.some((type) => type === index);
  return isKept ? <KeptPage /> : <SearchPage route={route} />;
}

function KeptPage() {
  return (
    <Empty icon="view" title="Not part of what you see">
      A view restricts you, and this page needs more than it shows.
    </Empty>
  );
}

function LazyPage({ name, route }: { name: string; route: Route }) {
  const [page, setPage] = useState<
    { Page: ComponentType<PageProps> } | 'missing' | 'failed' | null
  >(null);
  useEffect(() => {
    const load = loaderOf(name);
    if (load === null) {
      setPage('missing');
      return;
    }
    load().then(
      (Page) => setPage({ Page }),
      () => setPage('failed'),
    );
  }, [name]);
  if (page === null) return <Waiting />;
  if (page === 'missing') {
    return (
      <Empty title="Page not found">
        The link may be incomplete.
        <a class="button" href="#/search">
          Go to Search
        </a>
      </Empty>
    );
  }
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
