// More callers of a running service besides its administrator: users with given levels and scopes,
// and other tenants. Each calls over HTTP with its own token.

import { createAdmin, createTenant } from '../../src/service/accounts/provisioning.ts';
import { operatorOf } from '../../src/service/audit/operator-event.ts';
import { createCredential } from '../../src/service/credentials/credentials.ts';
import { documented } from './documented.ts';
import { lines, type RunningService } from './service.ts';

/** A caller of the service. */
export interface Party {
  readonly tenantId: string;
  readonly userId: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Sends a request with a token of the caller's personal access token. */
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Response>;
}

let userCount = 0;

/** Adds a user with these levels to the service's tenant; the user's token has these scopes. */
export async function addUser(
  service: RunningService,
  { capabilities = [], scope }: { capabilities?: readonly string[]; scope?: readonly string[] },
): Promise<Party> {
  userCount += 1;
  const id = `party${String(userCount).padStart(27, '0')}`;
  const user = { id, uid: id, displayName: id, capabilities };
  const report = await service.cardea.documents.importAuthUsers(
    operatorOf(service.tenantId),
    lines([user]),
  );
  if (report.failed > 0) throw new Error(JSON.stringify(report.faults));
  return party(service, service.tenantId, id, scope);
}

/** Adds a tenant; the caller is its administrator. */
export async function addTenant(service: RunningService, name: string): Promise<Party> {
  const { store } = service.cardea;
  const tenant = await createTenant(store, { name });
  const admin = await createAdmin(store, tenant, { uid: `${name}.admin` });
  return party(service, tenant.id, admin.id);
}

/** Requests an access token with client credentials. */
export async function tokenOf(
  url: string,
  { clientId, clientSecret }: Pick<Party, 'clientId' | 'clientSecret'>,
): Promise<string> {
  const answer = await fetch(`${url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
    }),
  });
  if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
  return ((await answer.json()) as { access_token: string }).access_token;
}

async function party(
  { url, cardea }: RunningService,
  tenantId: string,
  userId: string,
  scope?: readonly string[],
): Promise<Party> {
  const pat = await createCredential(
    cardea.store,
    tenantId,
    'pat',
    {
      name: `party ${userId}`,
      ...(scope === undefined ? {} : { scope }),
    },
    { ownerId: userId },
  );
  const credentials = { clientId: pat.credential.id, clientSecret: pat.secret };
  const token = await tokenOf(url, credentials);
  return {
    tenantId,
    userId,
    ...credentials,
    async call(method, path, body, headers = {}) {
      const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(sent === undefined ? {} : { body: sent }),
      });
      return documented(method, path, answer);
    },
  };
}
