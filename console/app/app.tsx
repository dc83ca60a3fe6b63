// The root component: shows the page of the current route inside the shared frame, or the sign-in
// page without a session. Signing in keeps the address, and so returns to the same page.
import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { isJoining, session } from '../api/session.ts';
import { SearchPage } from '../pages/search/search-page.tsx';
import { SignInPage } from '../sign-in/sign-in-page.tsx';
import { useSignInAnswer } from '../sign-in/use-sign-in-answer.ts';
import { Confirm } from '../ui/confirm.tsx';
import { Empty, Waiting } from '../ui/notice.tsx';
import type { Route } from '../ui/route.ts';
import { useCell } from '../ui/use-cell.ts';
import { isLeaving, leave, stay, useRoute } from '../ui/use-route.ts';
import type { PageProps } from './page-props.ts';
import { firstPage, labelOf, loaderOf } from './pages.ts';
import { Shell } from './shell.tsx';

export function App() {
  const current = useCell(session);
  const joining = useCell(isJoining);
  const route = useRoute();
  const leaving = useCell(isLeaving);
  const [name = current === null ? 'search' : firstPage(current)] = route.path;
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
  // An open tab may hand over its session; a link or the OpenID provider may start one.
  const isFinishing = useSignInAnswer(route);
  if (isFinishing) return <Waiting label="Signing in" />;
  if (current === null) return joining ? <Waiting label="Signing in" /> : <SignInPage />;
  return (
    <Shell page={name} main={main}>
      {name === 'search' ? (
        <SearchPage route={route} />
      ) : (
        <LazyPage name={name} route={route} key={name} />
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
