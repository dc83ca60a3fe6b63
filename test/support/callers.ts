// More parties at a served service than its one administrator: users with levels and scopes of their own, and other
// tenants. Each calls over HTTP with a token of its own.
import {
  createAdmin,
  createPersonalAccessToken,
  createTenant,
} from '../../src/identity/accounts/provisioning.ts';
import { documented } from './documented.ts';
import type { RunningService } from './service.ts';

/** Somebody who calls the service. */
export interface Party {
  readonly tenantId: string;
  readonly userId: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The personal access token behind all calls. */
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Response>;
}

let made = 0;

/** A user of the service's tenant with these levels, whose token has these scopes. */
export async function addUser(
  service: RunningService,
  { capabilities = [], scope }: { capabilities?: readonly string[]; scope?: readonly string[] },
): Promise<Party> {
  made += 1;
  const id = `party${String(made).padStart(27, '0')}`;
  const line = { line: 1, text: JSON.stringify({ id, uid: id, displayName: id, capabilities }) };
  const lines = (async function* () {
    yield line;
  })();
  const report = await service.cardea.documents.importAuthUsers(service.tenantId, lines);
  if (report.failed > 0) throw new Error(JSON.stringify(report.faults));
  return party(service, service.tenantId, id, scope);
}

/** Another tenant of the service, by its administrator. */
export async function addTenant(service: RunningService, name: string): Promise<Party> {
  const { store } = service.cardea;
  const tenant = await createTenant(store, { name });
  const admin = await createAdmin(store, tenant, { uid: `${name}.admin` });
  return party(service, tenant.id, admin.id);
}

/** The token of a credential, as the token endpoint answers it. */
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
  const pat = await createPersonalAccessToken(cardea.store, tenantId, userId, {
    name: `party ${userId}`,
    ...(scope === undefined ? {} : { scope }),
  });
  const credentials = { clientId: pat.token.id, clientSecret: pat.secret };
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
