// Where in the console one is: the part of the address behind `#`, as a path and parameters.
import { useEffect, useState } from 'preact/hooks';

export interface Route {
  /** Its parts, decoded: `/document/roles/5d1f` is `document`, `roles`, `5d1f`. */
  readonly path: readonly string[];
  readonly parts: URLSearchParams;
}

/** The route of now, whenever it changes. */
export function useRoute(): Route {
  const [hash, setHash] = useState(() => location.hash);
  useEffect(() => {
    const read = () => setHash(location.hash);
    addEventListener('hashchange', read);
    addEventListener('popstate', read);
    return () => {
      removeEventListener('hashchange', read);
      removeEventListener('popstate', read);
    };
  }, []);
  return routeOf(hash);
}

/** The address of a place in the console, for links. */
export function href(...path: readonly string[]): string {
  return `#/${path.map(encodeURIComponent).join('/')}`;
}

/** Goes to an address, which then stands in the history. */
export function go(address: string): void {
  location.hash = address.replace(/^#/, '');
}

/** Changes the address without a step in the history. */
export function replace(address: string): void {
  const hash = `#${address.replace(/^#/, '')}`;
  if (hash === location.hash) return;
  history.replaceState(null, '', hash);
  dispatchEvent(new PopStateEvent('popstate'));
}

function routeOf(hash: string): Route {
  const [path = '', ...query] = hash.replace(/^#\/?/, '').split('?');
  return {
    path: path
      .split('/')
      .filter((part) => part !== '')
      .map(decoded),
    parts: new URLSearchParams(query.join('?')),
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // Typed by hand: then it means itself.
    return part;
  }
}
