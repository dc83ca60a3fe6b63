// The load of a drill: clients that write documents, change auth users and search, one request after the other, and note
// what they were told. A client that hears of a fault waits a moment, as a good client does, and goes on with the next.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Drilled } from './installation.ts';
import type { Ledger } from './ledger.ts';

export interface Load {
  /** Ends when what is under way has been answered. */
  stop(): Promise<void>;
}

/** How long a client waits for an answer. */
const PATIENCE_MS = 20_000;
const AFTER_FAULT_MS = 50;
const WRITERS = 2;
const READERS = 2;

export function startLoad(drilled: Drilled, ledger: Ledger): Load {
  let stopping = false;
  const again = async (work: () => Promise<boolean>) => {
    while (!stopping) if (!(await work())) await pause(AFTER_FAULT_MS);
  };
  const working = Promise.all([
    ...Array.from({ length: WRITERS }, () => again(() => writeDocument(drilled, ledger))),
    ...ledger.userIds.map((id) => again(() => changeUser(drilled, ledger, id))),
    ...Array.from({ length: READERS }, () => again(() => search(drilled, ledger))),
  ]);
  // Whoever stops the load hears of what went wrong.
  working.catch(() => {});
  return {
    async stop() {
      stopping = true;
      await working;
    },
  };
}

/** Makes the users whom the load changes. */
export async function addUsers(drilled: Drilled, ledger: Ledger): Promise<void> {
  const users = ledger.userIds.map((id) => JSON.stringify({ id, uid: id, displayName: id }));
  const answer = await send(
    drilled,
    '/admin/v1/auth-users',
    'application/x-ndjson',
    users.join('\n'),
  );
  assert.equal(answer.status, 200, await answer.text());
}

/** Writes one document. @returns whether it was acknowledged */
export async function writeDocument(
  drilled: Drilled,
  ledger: Ledger,
  { url = drilled.url, query = '' } = {},
): Promise<boolean> {
  const { id, text } = ledger.nextDocument();
  const report = await told<{ created: number }>(ledger, () =>
    send({ ...drilled, url }, `/admin/v1/documents${query}`, 'application/x-ndjson', text),
  );
  if (report === null) return false;
  assert.equal(report.created, 1, JSON.stringify(report));
  ledger.documentKept(id);
  return true;
}

async function changeUser(drilled: Drilled, ledger: Ledger, id: string): Promise<boolean> {
  const { change, capabilities } = ledger.nextChange(id);
  const patch = [{ op: 'replace', path: '/capabilities', value: capabilities }];
  const user = await told<{ capabilities: string[] }>(ledger, () =>
    send(
      drilled,
      `/v3/auth-users/${id}`,
      'application/json-patch+json',
      JSON.stringify(patch),
      'PATCH',
    ),
  );
  if (user === null) return false;
  assert.deepEqual([...user.capabilities].sort(), [...capabilities].sort());
  ledger.changeKept(change);
  return true;
}

async function search(drilled: Drilled, ledger: Ledger): Promise<boolean> {
  const body = { indices: ['roles'], query: { query: 'name:Role' }, sort: ['-id'] };
  const hits = await told<{ id: string; description: string }[]>(ledger, () =>
    send(drilled, '/v2024/search?limit=10', 'application/json', JSON.stringify(body)),
  );
  for (const hit of hits ?? []) assert.equal(hit.description, `Drilled as ${hit.id}`);
  return hits !== null;
}

function send(
  { url, token }: Pick<Drilled, 'url' | 'token'>,
  path: string,
  type: string,
  body: string,
  method = 'POST',
): Promise<Response> {
  return fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': type },
    body,
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
}

/** The body of an answer of 2xx; null for one that a fault explains. @throws AssertionError for any other one */
async function told<T>(ledger: Ledger, ask: () => Promise<Response>): Promise<T | null> {
  let answer: Response;
  let text: string;
  try {
    answer = await ask();
    text = await answer.text();
  } catch (error) {
    ledger.heard((error as Error).name === 'TimeoutError' ? 'no answer' : 'broken off');
    return null;
  }
  ledger.heard(answer.ok ? '2xx' : String(answer.status));
  if (answer.ok) return JSON.parse(text) as T;
  ledger.reasons.add(text.replace(/"trackingId":"\w+",?/, ''));
  // 502 is the round robin's own, where no node takes a connection.
  assert.ok(answer.status === 503 || answer.status === 502, `${answer.status}: ${text}`);
  if (answer.status === 503) assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  return null;
}
