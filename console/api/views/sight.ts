// What the session sees of the tenant: which views restrict it, and the types of documents that it
// finds any of. Views change at any time, so this asks again with each page load, and when the
// service refuses something. Until the answer arrives, the console shows no page.
import { INDEX_NAMES, typeOf } from '../../../src/query/mapping/document-types.ts';
import type { IndexName } from '../../../src/query/query.ts';
import { Cell } from '../../model/cell.ts';
import type { Session } from '../claims.ts';
import { callJson, refusals } from '../client.ts';
import { reconnections } from '../connection.ts';
import { isRestricted, mayUser } from '../rights.ts';
import { aggregate } from '../search-api.ts';
import { noteViews, ownSession, session } from '../session.ts';

/** No page waits longer for the answer. */
const ANSWER_MS_MAX = 10_000;

/** The types that have visible documents; null: not known yet, or nobody is signed in. */
export const visibleTypes = new Cell<readonly IndexName[] | null>(null);

/** What `visibleTypes` belongs to: token and views. */
let key = '';
/** The token whose views are being requested; '': none. */
let asked = '';

/** Follows the session from now on. Called once, when the console starts. */
export function followSight(): void {
  session.watch(update);
  refusals.watch(() => void readViews());
  reconnections.watch(() => void readViews());
  update();
  void readViews();
}

function update(): void {
  const current = session.get();
  if (current === null || current.views === null) {
    key = '';
    visibleTypes.set(null);
    if (current !== null) void readViews();
    return;
  }
  if (!isRestricted(current)) {
    key = '';
    visibleTypes.set(INDEX_NAMES);
    return;
  }
  const next = `${current.token} ${current.views.join(' ')}`;
  if (next === key) return;
  key = next;
  visibleTypes.set(null);
  void typesOf(current).then((types) => {
    if (key === next) visibleTypes.set(types);
  });
}

/** Asks which views restrict the session of the user. */
async function readViews(): Promise<void> {
  const token = ownSession.get()?.token ?? '';
  if (token === '' || token === asked) return;
  asked = token;
  try {
    const signal = AbortSignal.timeout(ANSWER_MS_MAX);
    const options = { token, signal };
    const info = await callJson<{ views?: readonly string[] }>('oauth/userinfo', options);
    noteViews(token, info.views ?? []);
  } catch {
    // The service decides about rights; without an answer the console offers what it knows of.
    noteViews(token, ownSession.get()?.views ?? []);
  } finally {
    asked = '';
  }
}

async function typesOf(restricted: Session): Promise<readonly IndexName[]> {
  if (!mayUser(restricted, 'search:aggregate')) return [];
  const types = { terms: { field: '_type', size: INDEX_NAMES.length } };
  try {
    const body = { query: { query: '*' }, aggregationsDsl: { types } };
    const buckets = (await aggregate(body))['types']?.buckets ?? [];
    const visible = new Set(buckets.map(({ key: type }) => String(type)));
    return INDEX_NAMES.filter((index) => visible.has(typeOf(index)));
  } catch {
    // Pages show why nothing can be found.
    return INDEX_NAMES;
  }
}
