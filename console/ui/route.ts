// The route of the console: the fragment of the address, as a path with
// parameters. use-route.ts follows it.

export interface Route {
  /** The decoded segments: `/document/roles/5d1f` is `document`, `roles`, `5d1f`. */
  readonly path: readonly string[];
  readonly parameters: URLSearchParams;
}

/** The address of a path, for links. */
export function href(...path: readonly string[]): string {
  return `#/${path.map(encodeURIComponent).join('/')}`;
}

/** Navigates to an address and adds it to the history. */
export function go(address: string): void {
  location.hash = address.replace(/^#/, '');
}

/**
 * Binds what is done after an answer of the service to the present page: nothing is done if the user
 * has gone to another page meanwhile.
 */
export function whileHere<Arguments extends readonly unknown[]>(
  act: (...args: Arguments) => void,
): (...args: Arguments) => void {
  const page = pageOfAddress();
  return (...args) => {
    if (pageOfAddress() === page) act(...args);
  };
}

/** The address without its parameters. */
export function pageOfAddress(): string {
  return location.hash.split('?')[0] ?? '';
}

/** Replaces the address without an entry in the history. */
export function replace(address: string): void {
  const hash = `#${address.replace(/^#/, '')}`;
  if (hash === location.hash) return;
  history.replaceState(history.state, '', hash);
  dispatchEvent(new PopStateEvent('popstate'));
}

/** Replaces the whole address of the page, with its query, by a fragment. */
export function replacePage(hash: string): void {
  history.replaceState(history.state, '', `${location.pathname}${hash}`);
  dispatchEvent(new PopStateEvent('popstate'));
}

/** The route of a fragment. */
export function routeOf(hash: string): Route {
  const [path = '', ...query] = hash.replace(/^#\/?/, '').split('?');
  return {
    path: path
      .split('/')
      .filter((segment) => segment !== '')
      .map(decoded),
    parameters: new URLSearchParams(query.join('?')),
  };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // Not encoded, such as an address typed by hand.
    return segment;
  }
}
