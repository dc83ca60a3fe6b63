// The drill of nodes whose clocks differ: one on time, one an hour ahead, one an hour behind, over one PostgreSQL, one
// OpenSearch and one Redis. What is common to them goes by a clock that is common to them, and the rest is told here.
import assert from 'node:assert/strict';
import { decodeJwt } from 'jose';
import { tokenOf } from '../../support/callers.ts';
import type { NodeProcess } from '../../support/node-process.ts';
import type { DrillFigures, Drills } from './drill.ts';
import { eventually } from './eventually.ts';
import { allReady, type Credentials, type Installation } from './installation.ts';

const HOUR_MS = 3_600_000;
/** Of the nodes, in milliseconds ahead. */
export const CLOCKS_MS: readonly number[] = [0, HOUR_MS, -HOUR_MS];

/** Each of them feeds in turn, and a token of each is good at all; writes are kept once and in order. */
export async function feedByAnyClock(
  installation: Installation,
  drills: Drills,
): Promise<DrillFigures> {
  const { nodes, credentials } = installation;
  return drills.run('clocks an hour apart', async ({ acknowledged }) => {
    for (const [n, minting] of nodes.entries()) {
      const token = await tokenOf(minting.url, credentials);
      const { iat = 0 } = decodeJwt(token);
      const aheadMs = iat * 1000 - Date.now();
      assert.ok(Math.abs(aheadMs - (CLOCKS_MS[n] ?? 0)) < HOUR_MS / 2, `node ${n}: ${aheadMs} ms`);
      for (const node of nodes) assert.equal(await statusAt(node, token), 200);
    }
    for (const [n, node] of nodes.entries()) {
      const others = nodes.filter((other) => other !== node);
      await Promise.all(others.map((other) => other.stop()));
      await eventually(`node ${n} feeds`, () => node.feeds());
      const before = acknowledged();
      await eventually('clients go on writing', () => acknowledged() > before);
      await Promise.all(others.map((other) => other.start()));
      await eventually('the others are ready again', () => allReady(nodes));
    }
  });
}

/** A node says how far its clock is from the database's. */
export async function assertClocksTold({ nodes }: Installation): Promise<void> {
  const told = await Promise.all(
    nodes.map(async ({ url }) => (await (await fetch(`${url}/ready`)).json()) as Ready),
  );
  const [onTime, ahead, behind] = told.map(({ warnings = [] }) => warnings.join());
  assert.equal(onTime, '');
  assert.match(ahead ?? '', /clock of this node is 36\d\d s ahead of/);
  assert.match(behind ?? '', /clock of this node is 3[56]\d\d s behind/);
}

interface Ready {
  readonly warnings?: readonly string[];
}

/**
 * Wrong secrets are counted by the clock of the Redis: who is told to wait is so everywhere, and not for an hour.
 * @param counted how many failures of this address were counted within the last minute
 */
export async function assertGuessesCounted(
  { nodes, credentials }: Installation,
  counted: number,
): Promise<void> {
  const guess = (node: NodeProcess | undefined, id: string) =>
    askToken(node, { clientId: id, clientSecret: 'x' });
  const id = credentials.clientId.replace(/^..../, '0000');
  for (let n = counted; n < ATTEMPTS; n++) {
    assert.equal((await guess(nodes[n % nodes.length], id)).status, 401);
  }
  for (const node of nodes) {
    const answer = await guess(node, id);
    assert.equal(answer.status, 429);
    const seconds = Number(answer.headers.get('retry-after'));
    assert.ok(seconds >= 1 && seconds <= 60, String(seconds));
  }
}

/** The default of CARDEA_TOKEN_ATTEMPTS, in a minute. */
const ATTEMPTS = 20;

/** When a credential ends, each node judges by its own clock: an hour early, or an hour late. */
export async function assertExpiryByOwnClock({ nodes, token }: Installation): Promise<void> {
  const [onTime, ahead, behind] = nodes;
  assert.ok(onTime && ahead && behind);
  const inHalfAnHour = new Date(Date.now() + HOUR_MS / 2).toISOString();
  const ending = await addCredential(onTime, token, { expirationDate: inHalfAnHour });
  assert.equal((await askToken(ahead, ending)).status, 401, 'it has ended there');
  for (const node of [onTime, behind]) assert.equal((await askToken(node, ending)).status, 200);

  const brief = await addCredential(onTime, token, { accessTokenValiditySeconds: 900 });
  const minted = await tokenOf(behind.url, brief);
  assert.equal(await statusAt(behind, minted), 200);
  for (const node of [onTime, ahead])
    assert.equal(await statusAt(node, minted), 401, 'it is over there');
}

async function addCredential(
  { url }: NodeProcess,
  token: string,
  members: Record<string, unknown>,
): Promise<Credentials> {
  const answer = await fetch(`${url}/v2024/personal-access-tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      name: `drill ${JSON.stringify(members).length}`,
      scope: ['sp:scopes:all'],
      ...members,
    }),
  });
  assert.equal(answer.status, 200, await answer.clone().text());
  const { id, secret } = (await answer.json()) as { id: string; secret: string };
  return { clientId: id, clientSecret: secret };
}

async function statusAt({ url }: NodeProcess, token: string): Promise<number> {
  const answer = await fetch(`${url}/v2024/personal-access-tokens`, {
    headers: { authorization: `Bearer ${token}` },
  });
  await answer.arrayBuffer();
  return answer.status;
}

function askToken(
  node: NodeProcess | undefined,
  { clientId, clientSecret }: Credentials,
): Promise<Response> {
  return fetch(`${node?.url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      ...{ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret },
    }),
  });
}
