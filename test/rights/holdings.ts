// What lasts longer than a request, and what a holder has of it: tokens, credentials, streams, and work in the background.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { SearchDelivery, SearchRun } from '../../src/service/ports/saved-search-records.ts';
import { waitingRun } from '../../src/service/saved-searches/saved-searches.ts';
import { viewsKey } from '../../src/service/views/views-in-force.ts';
import { tokenOf } from '../support/callers.ts';
import { eventually } from '../support/eventually.ts';
import type { Credentials, Holder, World } from './holder.ts';
import { done, revokeToken } from './losses.ts';

export type Holding =
  | 'access token'
  | 'access token of a client'
  | 'refresh token'
  | 'external token of an auth user'
  | 'external token of a stranger'
  | 'personal access token'
  | 'API client'
  | 'API key'
  | 'console session'
  | 'assistant'
  | 'list walk'
  | 'rows'
  | 'results'
  | 'import'
  | 'run'
  | 'e-mail'
  | 'webhook';

/** `narrows`: it shows nothing of what it showed. */
export type Outcome = 'works' | 'ends' | 'narrows';

/** Something that a holder has. */
export interface Held {
  /** Uses it. What can be used once only is used after the loss alone. */
  use(): Promise<Outcome>;
  readonly once?: true;
  /** Revokes it, or what it was begun with. */
  revoke(): Promise<void>;
}

/** The document that is asked for, and those of streams, whose rows are more than the kernel buffers. */
export const ASKED = { _type: 'identity', id: 'asked', name: 'asked' } as const;
export const STREAMED_DOCUMENTS = Array.from({ length: 100 }, (_, n) => ({
  ...{ _type: 'identity', id: `streamed-${n}`, name: 'streamed' },
  attributes: { note: 'x'.repeat(16_384) },
  accounts: Array.from({ length: 25 }, (__, at) => ({ id: `a-${n}-${at}`, name: 'account' })),
}));

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const zipped = promisify(gzip);

function outcomeOf(status: number): Outcome {
  if (status === 200) return 'works';
  if (status === 404) return 'narrows';
  assert.ok([400, 401, 403].includes(status), String(status));
  return 'ends';
}

/** Reads a document with a token. */
export async function read({ url }: World, token: string): Promise<Outcome> {
  const answer = await fetch(`${url}/v3/search/identities/${ASKED.id}`, { headers: bearer(token) });
  await answer.arrayBuffer();
  return outcomeOf(answer.status);
}

const tokenHeld = (world: World, holder: Holder, token: string): Held => ({
  use: () => read(world, token),
  revoke: () => revokeToken(holder, token),
});

/** Gets a token by a grant, and reads a document with it. */
async function readBy(world: World, parameters: Record<string, string>): Promise<Outcome> {
  const body = new URLSearchParams(parameters);
  const answer = await fetch(`${world.url}/oauth/token`, { method: 'POST', body });
  const { access_token } = (await answer.json()) as { access_token?: string };
  return access_token === undefined ? outcomeOf(answer.status) : read(world, access_token);
}

const grant = ({ clientId: client_id, clientSecret: client_secret }: Credentials) => ({
  ...{ grant_type: 'client_credentials', client_id, client_secret },
});

/** What is used with the token of `child`, and ends with it. */
const withToken = (holder: Holder) => ({ revoke: () => revokeToken(holder, holder.token) });

/** Begins to read an answer of many megabytes, and reads on when it is used. */
async function stream(world: World, holder: Holder, path: string, body?: object): Promise<Held> {
  const sent = request(`${world.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...bearer(holder.token), 'content-type': 'application/json' },
  });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  if (answer.statusCode !== 200) {
    assert.fail(`${answer.statusCode}: ${Buffer.concat(await answer.toArray())}`);
  }
  answer.pause();
  return {
    ...{ once: true, ...withToken(holder) },
    use: () =>
      new Promise((resolve) => {
        answer.on('end', () => resolve('works'));
        answer.on('error', () => resolve('ends'));
        answer.resume();
      }),
  };
}

/** A run of a saved search of the holder. */
async function addRun(
  { tenant, userId }: Holder,
  id: string,
  members: Partial<SearchRun> = {},
): Promise<SearchRun> {
  const created = new Date().toISOString();
  const search = {
    ...{ id, ownerId: userId, created, modified: created, name: id, description: null },
    ...{ public: false, indices: ['identities'], columns: {}, query: `id:${ASKED.id}` },
    ...{ fields: null, orderBy: null, sort: null, filters: null },
  };
  const run = {
    ...waitingRun({
      ...{ savedSearchId: id, scheduleId: null, ownerId: userId, recipients: [], created },
      ...{ emailEmptyResults: true, displayQueryDetails: false },
    }),
    openAt: Date.now() + 60_000,
    ...members,
  };
  await tenant.cardea.store.write(async (records) => {
    await records.putSavedSearch(tenant.tenantId, search as never);
    await records.putSearchRun(tenant.tenantId, run);
  });
  return run;
}

const RESULT = { type: 'identity', count: 1, rows: 1, preview: [] };

/** A delivery of a run that has ended, which is due when it is used. */
async function deliver(
  world: World,
  holder: Holder,
  channel: 'EMAIL' | 'WEBHOOK',
  isRestricted: boolean,
): Promise<Held> {
  const { tenant, userId } = holder;
  const { store } = tenant.cardea;
  const id = `${channel}-${userId}`;
  const rules = { name: `of-${userId}`, indices: { identities: '*' }, hide: [] };
  const ended = { state: 'COMPLETED', results: [RESULT], openAt: null } as const;
  const run = await addRun(holder, id, {
    ...ended,
    views: viewsKey(isRestricted ? [rules] : null),
  });
  const delivery: SearchDelivery = {
    ...{ id, runId: run.id, savedSearchId: id, channel, address: null },
    state: 'WAITING',
    ...{ recipientId: channel === 'EMAIL' ? 'recipient' : null, attempts: 0, reason: null },
    ...{ created: run.created, delivered: null, openAt: Date.now() + 60_000 },
  };
  await store.write((records) => records.putSearchDelivery(tenant.tenantId, delivery));
  return {
    ...{ once: true, ...withToken(holder) },
    async use() {
      const sent = () => (channel === 'EMAIL' ? world.mail.mails : world.hook.posts).length;
      const before = sent();
      const due = { ...delivery, openAt: 0 };
      await store.write((records) => records.putSearchDelivery(tenant.tenantId, due));
      await eventually(async () => {
        const stored = await store.read.searchDelivery(tenant.tenantId, id);
        assert.ok(stored?.openAt === null, stored?.state);
      });
      return sent() > before ? 'works' : 'ends';
    },
  };
}

/** Begins a holding. @param isRestricted a view restricts the holder, which shows all */
type Begin = (world: World, holder: Holder, isRestricted: boolean) => Promise<Held>;

export const HOLDINGS: Readonly<Record<Holding, Begin>> = {
  'access token': async (world, holder) => tokenHeld(world, holder, holder.token),
  'access token of a client': async (world, holder) =>
    tokenHeld(world, holder, await tokenOf(world.url, holder.client)),
  async 'refresh token'(world, holder) {
    const answer = await fetch(`${world.url}/oauth/token`, {
      ...{ method: 'POST', body: new URLSearchParams(grant(holder.client)) },
    });
    let { refresh_token } = (await answer.json()) as { refresh_token: string };
    const family = refresh_token;
    return {
      async use() {
        const body = new URLSearchParams({
          ...{ ...grant(holder.client), grant_type: 'refresh_token', refresh_token },
        });
        const next = await fetch(`${world.url}/oauth/token`, { method: 'POST', body });
        const tokens = (await next.json()) as Record<string, string>;
        refresh_token = tokens['refresh_token'] ?? refresh_token;
        const { access_token } = tokens;
        return access_token === undefined ? outcomeOf(next.status) : read(world, access_token);
      },
      revoke: () => revokeToken(holder, family),
    };
  },
  'external token of an auth user': async (world, holder) => {
    const token = await world.issuer.token(holder.tenant.tenantId, holder.userId);
    return tokenHeld(world, holder, token);
  },
  'external token of a stranger': async (world, holder) => {
    const token = await world.issuer.token(holder.tenant.tenantId, holder.personId);
    return tokenHeld(world, holder, token);
  },
  'personal access token': async (world, holder) => ({
    use: () => readBy(world, grant(holder.child)),
    revoke: () => remove(holder, `/v3/personal-access-tokens/${holder.child.clientId}`),
  }),
  'API client': async (world, holder) => ({
    use: () => readBy(world, grant(holder.client)),
    revoke: () => remove(holder, `/v3/oauth-clients/${holder.client.clientId}`),
  }),
  'API key': async (world, holder) => ({
    async use() {
      const headers = bearer(holder.key.apiKey);
      const answer = await fetch(`${world.url}/api/profile_types`, { headers });
      await answer.arrayBuffer();
      return outcomeOf(answer.status);
    },
    revoke: () => remove(holder, `/admin/v1/api-keys/${holder.key.id}`),
  }),
  /** Begun with the code of a link, as `cardea demo` prints; through OpenID it has an external token. */
  async 'console session'(world, holder) {
    const code = holder.tenant.cardea.signInCodes.create(holder.parent.clientId);
    const body = new URLSearchParams({ grant_type: 'urn:cardea:grant:sign-in-code', code });
    const answer = await fetch(`${holder.tenant.url}/oauth/token`, { method: 'POST', body });
    const { access_token } = (await answer.json()) as { access_token: string };
    return tokenHeld(world, holder, access_token);
  },
  assistant: async (world, holder) => ({
    ...withToken(holder),
    async use() {
      const answer = await fetch(`${world.url}/mcp`, {
        method: 'POST',
        headers: {
          ...{ ...bearer(holder.token), 'content-type': 'application/json' },
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({
          ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
          params: { name: 'count', arguments: { query: '*', indices: ['identities'] } },
        }),
      });
      const text = await answer.text();
      if (answer.status !== 200) return outcomeOf(answer.status);
      return /"total\W+0\b/.test(text) ? 'narrows' : 'works';
    },
  }),
  async 'list walk'(world, holder) {
    const page = async (offset: number) => {
      const path = `/v3/identities?limit=1&offset=${offset}`;
      const answer = await fetch(`${world.url}${path}`, { headers: bearer(holder.token) });
      if (answer.status !== 200) return outcomeOf(answer.status);
      return ((await answer.json()) as unknown[]).length === 0 ? 'narrows' : 'works';
    };
    assert.equal(await page(0), 'works');
    return { use: () => page(1), ...withToken(holder) };
  },
  rows: (world, holder) =>
    stream(world, holder, '/v3/search/rows', {
      ...{ indices: ['identities'], query: { query: 'name:streamed' }, rows: 'accounts' },
      columns: ['attributes.note', '@accounts.name'],
    }),
  async results(world, holder) {
    const { tenant, userId } = holder;
    const id = `results-${userId}`;
    const state = { state: 'COMPLETED', results: [RESULT], openAt: null, attempt: 1 } as const;
    const run = await addRun(holder, id, state);
    const bytes = await zipped('x'.repeat(2 ** 20));
    for (let part = 0; part < 40; part += 1) {
      await tenant.cardea.store.write((records) =>
        records.addRunPart(tenant.tenantId, {
          ...{ runId: run.id, attempt: 1, type: 'identity', part, bytes },
        }),
      );
    }
    return stream(world, holder, `/v2024/saved-searches/${id}/runs/${run.id}/results.csv`);
  },
  async import(world, holder) {
    const { tenant, userId } = holder;
    const id = `imported-by-${userId}`;
    const sent = request(`${world.url}/admin/v1/documents`, {
      method: 'POST',
      headers: { ...bearer(holder.token), 'content-type': 'application/x-ndjson' },
    });
    const answer = once(sent, 'response') as Promise<[IncomingMessage]>;
    answer.catch(() => {});
    sent.write(`${JSON.stringify({ _type: 'role', id, name: id })}\n`);
    return {
      ...{ once: true, ...withToken(holder) },
      async use() {
        sent.end(`${JSON.stringify({ _type: 'role', id: `${id}-2`, name: id })}\n`);
        const [{ statusCode = 0 }] = await answer;
        const { read } = tenant.cardea.store;
        const stored = await read.documentsById(tenant.tenantId, 'roles', [id, `${id}-2`]);
        assert.equal(stored.length, statusCode === 200 ? 2 : 0);
        // An import that begins while the node still accepts the token finds no tenant.
        return statusCode === 404 ? 'ends' : outcomeOf(statusCode);
      },
    };
  },
  async run(_, holder) {
    const { tenant, userId } = holder;
    const { store } = tenant.cardea;
    const run = await addRun(holder, `run-${userId}`);
    return {
      ...{ once: true, ...withToken(holder) },
      async use() {
        await store.write((records) =>
          records.putSearchRun(tenant.tenantId, { ...run, openAt: 0 }),
        );
        let ended: SearchRun | null = null;
        await eventually(async () => {
          ended = await store.read.searchRun(tenant.tenantId, run.id);
          assert.ok(ended?.openAt === null, ended?.state);
        });
        const { state, results } = (ended ?? run) as SearchRun;
        if (state !== 'COMPLETED') return 'ends';
        return results[0]?.count === 0 ? 'narrows' : 'works';
      },
    };
  },
  'e-mail': (world, holder, isRestricted) => deliver(world, holder, 'EMAIL', isRestricted),
  webhook: (world, holder, isRestricted) => deliver(world, holder, 'WEBHOOK', isRestricted),
};

function remove({ tenant }: Holder, path: string): Promise<void> {
  return done(tenant.call('DELETE', path));
}
