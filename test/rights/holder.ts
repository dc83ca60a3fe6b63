// Who holds rights in the tests of lost ones: an administrator of a tenant with everything that an administrator can create, and
// the service that is asked.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { addUser, type Party, tokenOf } from '../support/callers.ts';
import type { MailServer } from '../support/mail-server.ts';
import type { RunningService } from '../support/service.ts';
import type { WebhookReceiver } from '../support/webhook-receiver.ts';

/** Where rights are lost, and where what lasts is used. */
export interface World {
  /** Rights are lost here. */
  readonly service: RunningService;
  /** The address where they are used: that of the service or of another node. */
  url: string;
  readonly issuer: TestIssuer;
  readonly mail: MailServer;
  readonly hook: WebhookReceiver;
  /** Removes the tenant from the store, as nothing in the product does. */
  removeTenant(id: string): Promise<void>;
  /** Makes `url` that of a server whose settings name no issuer. */
  removeIssuer(): Promise<void>;
}

/** An external issuer of tokens, with its keys on a free port of the loopback address. */
export interface TestIssuer {
  /** The setting CARDEA_EXTERNAL_ISSUERS for these tenants. */
  setting(tenants: readonly string[]): string;
  /** A token of now for a person, who has the group `admins`. */
  token(tenant: string, identityId: string): Promise<string>;
  close(): Promise<void>;
}

export async function startIssuer(): Promise<TestIssuer> {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256', use: 'sig' }] };
  const server = createServer((_, response) => response.end(JSON.stringify(keys)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    setting: (tenants) =>
      JSON.stringify([
        {
          ...{ issuer, jwksUrl: `${issuer}/keys`, audience: 'cardea', tenants },
          ...{ claims: { authorities: 'groups' }, levels: { admins: ['ORG_ADMIN'] } },
        },
      ]),
    token: (tenant, identity) =>
      new SignJWT({
        ...{ tenant_id: tenant, identity_id: identity, user_name: identity },
        ...{ groups: ['admins'], scope: 'sp:scopes:all' },
      })
        .setProtectedHeader({ alg: 'ES256', kid: 'k' })
        .setIssuer(issuer)
        .setAudience('cardea')
        .setIssuedAt()
        .setExpirationTime('1h')
        .sign(privateKey),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

export type Credentials = { readonly clientId: string; readonly clientSecret: string };

/** An administrator who has made a personal access token, and with it the other credentials. */
export interface Holder {
  readonly tenant: RunningService;
  readonly userId: string;
  /** Whose state is changed: the user, or an identity that is no auth user. */
  readonly personId: string;
  readonly parent: Credentials;
  /** Sends a request with a token of `parent`. */
  readonly call: Party['call'];
  /** A personal access token that was made with a token of `parent`, as the next two. */
  readonly child: Credentials;
  readonly client: Credentials;
  readonly key: { readonly id: string; readonly apiKey: string };
  /** An access token of `child`. */
  readonly token: string;
}

/** @param tenant the tenant to which the holder is added */
export async function newHolder(tenant: RunningService, isStranger: boolean): Promise<Holder> {
  const { userId, call, ...parent } = await addUser(tenant, { capabilities: ['ORG_ADMIN'] });
  const made = async (path: string, body: object) => {
    const answer = await call('POST', path, body);
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Record<string, string>;
  };
  const credentials = ({ id = '', secret = '' }) => ({ clientId: id, clientSecret: secret });
  const child = credentials(
    await made('/v3/personal-access-tokens', { name: 'child', scope: ['sp:scopes:all'] }),
  );
  const grantTypes = ['CLIENT_CREDENTIALS', 'REFRESH_TOKEN'];
  const name = `client of ${userId}`;
  const client = credentials(await made('/v3/oauth-clients', { name, grantTypes }));
  const { id = '', apiKey = '' } = await made('/admin/v1/api-keys', { name: 'key' });
  const token = await tokenOf(tenant.url, child);
  const personId = isStranger ? `stranger-${userId}` : userId;
  const key = { id, apiKey };
  return { tenant, userId, personId, parent, call, child, client, key, token };
}
