// The question of the list of auth users: words, capabilities, state and view, as parameters of the
// address, and as the filter and sorters of the service (docs/who-may-do-what.md).
// Invariant: a text of the user is only ever a quoted string of the filter.

/** How several capabilities are combined. */
export type Match = 'all' | 'any';

/** What the list shows. */
export interface UserQuery {
  /** Parts of the name, UID or email, all of which must occur; or an id. */
  readonly words: string;
  /** Names of capabilities; or `any` or `none` alone. */
  readonly capabilities: readonly string[];
  readonly match: Match;
  /** '' for both. */
  readonly state: '' | 'enabled' | 'disabled';
  /** The name of a view; `ANY` for any; '' for all users. */
  readonly view: string;
}

/** Value of the filters for users with any capability, or with any view. */
export const ANY = '*';
/** For users without a capability. */
export const NONE = '-';

/** Reads the question of an address. */
export function userQueryOf(parameters: URLSearchParams): UserQuery {
  const state = parameters.get('state');
  const capabilities = parameters.getAll('capability').filter((name) => name !== '');
  const special = capabilities.find((name) => name === ANY || name === NONE);
  return {
    words: parameters.get('q')?.trim() ?? '',
    capabilities: special === undefined ? [...new Set(capabilities)] : [special],
    match: parameters.get('match') === 'any' ? 'any' : 'all',
    state: state === 'enabled' || state === 'disabled' ? state : '',
    view: parameters.get('view') ?? '',
  };
}

/** The filter of the service; '' matches all auth users. */
export function filterOf({ words, capabilities, match, state, view }: UserQuery): string {
  const parts = words.split(/\s+/).filter((word) => word !== '');
  return [
    ...parts.map(
      (word) =>
        `(name co ${quoted(word)} or uid co ${quoted(word)} or email co ${quoted(word)} or id eq ${quoted(word)})`,
    ),
    ...capabilityFilter(capabilities, match),
    ...(state === '' ? [] : [`enabled eq ${state === 'enabled'}`]),
    ...(view === '' ? [] : [view === ANY ? 'view pr' : `view eq ${quoted(view)}`]),
  ].join(' and ');
}

function capabilityFilter(names: readonly string[], match: Match): string[] {
  const [first] = names;
  if (first === undefined) return [];
  if (first === ANY) return ['capabilities pr'];
  if (first === NONE) return ['capabilities isnull'];
  return [`capabilities ${match === 'any' ? 'in' : 'ca'} (${names.map(quoted).join(', ')})`];
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, String.raw`\$&`)}"`;
}
