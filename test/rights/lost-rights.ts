// The suite of lost rights: each way to lose a right, for each thing that lasts. With several nodes the right is lost at one and
// used at another.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { buildApp } from '../../src/http/app.ts';
import { TokenService } from '../../src/service/credentials/tokens.ts';
import { SETTINGS } from '../api/fakes.ts';
import { eventually } from '../support/eventually.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { openapi } from '../support/openapi.ts';
import { addServedTenant, type RunningService } from '../support/service.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';
import { newHolder, startIssuer, type TestIssuer, type World } from './holder.ts';
import {
  ASKED,
  HOLDINGS,
  type Holding,
  type Outcome,
  read,
  STREAMED_DOCUMENTS,
} from './holdings.ts';
import { LOSE, type Loss, restrict } from './losses.ts';
import { type Cell, LONG_REQUESTS, TABLE } from './table.ts';

/** What the services of the suite are configured with. */
export interface Receivers {
  readonly issuer: TestIssuer;
  readonly mail: MailServer;
  readonly hook: WebhookReceiver;
  readonly settings: Record<string, string>;
  close(): Promise<void>;
}

const LOSSES = Object.keys(LOSE) as Loss[];
const HELD = Object.keys(HOLDINGS) as Holding[];
const goneTenant = (holding: Holding) => `gone-${HELD.indexOf(holding)}`;

export async function startReceivers(): Promise<Receivers> {
  const issuer = await startIssuer();
  const mail = await startMailServer();
  const hook = await startWebhookReceiver();
  return {
    ...{ issuer, mail, hook },
    settings: {
      CARDEA_EXTERNAL_ISSUERS: issuer.setting(['test', ...HELD.map(goneTenant)]),
      ...{ CARDEA_SMTP_URL: mail.url, CARDEA_SMTP_FROM: 'cardea@reports.test' },
      ...{ CARDEA_WEBHOOK_URL: hook.url, CARDEA_WEBHOOK_SECRET: 'a secret of the test' },
      ...{ CARDEA_ALLOW_PRIVATE_URLS: 'on', CARDEA_MCP: 'on' },
    },
    async close() {
      await issuer.close();
      await mail.close();
      await hook.close();
    },
  };
}

/** @param waitsForNodes waits until all nodes find what was imported into a tenant */
export function lostRights(
  worldOf: () => Omit<World, 'removeIssuer'>,
  waitsForNodes: (tenant: RunningService) => Promise<void>,
): void {
  for (const holding of HELD) {
    for (const loss of LOSSES) {
      const cell = TABLE[holding][loss];
      if (cell.startsWith('none: ')) continue;
      test(`${holding}, ${loss}: ${cell}`, async (t) => {
        await check(t, withoutIssuer(t, worldOf()), { holding, loss, cell });
      });
    }
  }

  test('every operation that reads or answers for long has a row', () => {
    const long = Object.entries(openapi['paths'] ?? {}).flatMap(([path, item]) =>
      Object.entries(item ?? {}).flatMap(([method, operation]) => {
        const text = JSON.stringify([operation?.['requestBody'], operation?.['responses']]);
        const isLong = /requestBodies\/Import|text\/csv|x-ndjson/.test(text);
        // Paths with the version behind the area are twins.
        const isTwin = /^\/[a-z-]+\/v1\//.test(path) && !path.startsWith('/admin/');
        // A preview reads the beginning of a file and changes nothing.
        return isLong && !isTwin && !path.endsWith('/preview')
          ? [`${method.toUpperCase()} ${path}`]
          : [];
      }),
    );
    assert.deepEqual(long.toSorted(), Object.keys(LONG_REQUESTS).toSorted());
  });

  async function check(
    t: TestContext,
    world: World,
    { holding, loss, cell }: { holding: Holding; loss: Loss; cell: Cell },
  ): Promise<void> {
    const tenant = loss === 'tenant' ? await goneTenantOf(world, holding) : world.service;
    if (tenant !== world.service || !filled.has(tenant)) {
      const streams = tenant === world.service || holding === 'rows' ? STREAMED_DOCUMENTS : [];
      await tenant.addDocuments([
        ASKED,
        { ...ASKED, id: 'recipient', email: 'r@x.test' },
        ...streams,
      ]);
      filled.add(tenant);
      await waitsForNodes(tenant);
    }
    const holder = await newHolder(tenant, holding === 'external token of a stranger');
    const isRestricted = loss === 'view narrowed';
    if (isRestricted) await restrict(holder, { identities: '*' });
    const held = await HOLDINGS[holding](world, holder, isRestricted);
    if (held.once !== true) await eventually(async () => assert.equal(await held.use(), 'works'));
    const began = performance.now();
    await LOSE[loss](holder, world, held.revoke);
    const expected: Outcome = cell === 'ends' || cell === 'narrows' ? cell : 'works';
    const isAtOnce = world.url === world.service.url && loss !== 'tenant';
    if (!isAtOnce && held.once === true && expected !== 'works') {
      // It can be used once only, so this waits until the loss is known.
      const probe = TABLE['access token'][loss];
      await eventually(async () => assert.equal(await read(world, holder.token), probe));
    }
    await (isAtOnce || held.once === true ? asExpected() : eventually(asExpected));
    t.diagnostic(`${Math.round(performance.now() - began)} ms after the loss`);

    async function asExpected(): Promise<void> {
      assert.equal(await held.use(), expected);
    }
  }
}

/** The tenants that have documents. */
const filled = new Set<RunningService>();

function goneTenantOf({ service }: World, holding: Holding): Promise<RunningService> {
  return addServedTenant(service, goneTenant(holding));
}

/** A world of its own for a test, in which the issuer can be removed. */
function withoutIssuer(t: TestContext, shared: Omit<World, 'removeIssuer'>): World {
  const world: World = {
    ...shared,
    async removeIssuer() {
      const { store, services } = shared.service.cardea;
      const app = buildApp(
        { ...services, tokens: new TokenService(store) },
        { ...SETTINGS, mcp: true },
      );
      t.after(() => app.close());
      world.url = await app.listen({ host: '127.0.0.1', port: 0 });
    },
  };
  return world;
}
