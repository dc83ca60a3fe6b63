// suite: slow
// What a token can create over HTTP under either position of CARDEA_TOKEN_POLICY, and that it all ends with its parent under
// `strict`. The rules themselves are tested in src/service/credentials/token-confinement.test.ts.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { caller } from '../support/api-key.ts';
import { addUser, type Party, tokenOf } from '../support/callers.ts';
import { eventually } from '../support/eventually.ts';
import { type RunningService, startService } from '../support/service.ts';

const TOKENS = '/v3/personal-access-tokens';
const PATCH = { 'content-type': 'application/json-patch+json' };
const MANAGE = 'sp:my-personal-access-tokens:manage';

interface Created {
  readonly id: string;
  readonly secret: string;
  readonly scope: string[];
  readonly expirationDate: string | null;
}

for (const policy of ['strict', 'vendor'] as const) {
  describe(`the token policy ${policy}`, () => {
    let service: RunningService;
    before(async () => {
      service = await startService({ CARDEA_TOKEN_POLICY: policy });
    });
    after(() => service.stop());

    const isStrict = policy === 'strict';
    const weak = () => addUser(service, { capabilities: ['ORG_ADMIN'], scope: [MANAGE] });
    const asCreated = async (answer: Response) => (await answer.json()) as Created;

    /** Someone who calls with a token of a credential that was created over HTTP. */
    async function holderOf({ id, secret }: Created): Promise<Party['call']> {
      const token = await tokenOf(service.url, { clientId: id, clientSecret: secret });
      return (method, path, body, headers = {}) =>
        service.call(method, path, body, { ...headers, authorization: `Bearer ${token}` });
    }

    test('a token with one scope asks for one with all that never expires', async () => {
      const { call } = await weak();
      const body = { name: 'x', scope: ['sp:scopes:all'], userAwareTokenNeverExpires: true };
      const answer = await call('POST', TOKENS, body);
      assert.equal(answer.status, isStrict ? 403 : 200);
      if (!isStrict) assert.equal((await asCreated(answer)).expirationDate, null);
      else assert.match(await answer.text(), /403 Forbidden.*at most|at most.*403 Forbidden/s);
    });

    test('a token widens its own scope', async () => {
      const { call, clientId } = await weak();
      const patch = [{ op: 'replace', path: '/scope', value: ['sp:scopes:all'] }];
      const answer = await call('PATCH', `${TOKENS}/${clientId}`, patch, PATCH);
      assert.equal(answer.status, isStrict ? 403 : 200);
      if (isStrict) assert.match(await answer.text(), /your token does not have sp:scopes:all/);
    });

    for (const members of [{}, { scope: null }, { scope: [] }]) {
      test(`a token created with ${JSON.stringify(members)} has the default scope of the policy`, async () => {
        const { call } = await addUser(service, { capabilities: ['ORG_ADMIN'] });
        const created = await asCreated(await call('POST', TOKENS, { name: 'n', ...members }));
        assert.deepEqual(created.scope, [isStrict ? 'sp:scopes:default' : 'sp:scopes:all']);
        const use = await holderOf(created);
        assert.equal((await use('GET', '/v3/public-identities')).status, 200);
        assert.equal((await use('GET', '/v3/account-activities')).status, 200);
        assert.equal((await use('GET', '/v3/accounts')).status, isStrict ? 403 : 200);
      });
    }

    test('the body of the Python client creates a token with an expiry from a token with all scopes', async () => {
      const { call } = await addUser(service, {});
      const { expirationDate, scope } = await asCreated(
        await call('POST', TOKENS, {
          ...{ name: 'n', scope: ['sp:scopes:all'], userAwareTokenNeverExpires: false },
          ...{ accessTokenValiditySeconds: null, expirationDate: null },
        }),
      );
      assert.deepEqual(scope, ['sp:scopes:all']);
      assert.ok(Date.parse(expirationDate ?? '') > Date.now());
    });

    test('what came of a token ends with it, or lives on', async () => {
      const admin = await addUser(service, { capabilities: ['ORG_ADMIN'] });
      const token = await asCreated(
        await admin.call('POST', TOKENS, { name: 'child', scope: ['sp:scopes:all'] }),
      );
      const call = await holderOf(token);
      const client = await asCreated(await call('POST', '/v3/oauth-clients', { name: 'c' }));
      const key = await call('POST', '/admin/v1/api-keys', { name: 'k' });
      const { apiKey } = (await key.json()) as { apiKey: string };
      const app = await holderOf(client);
      const search = { indices: ['roles'], query: { query: '*' } };
      const statuses = async () => [
        (await call('GET', `${TOKENS}?owner-id=me`)).status,
        (await app('POST', '/v3/search', search)).status,
        (await caller(service.url, `Bearer ${apiKey}`)('GET', '/api/roles')).status,
      ];
      await eventually(async () => assert.deepEqual(await statuses(), [200, 200, 200]));
      assert.equal((await admin.call('DELETE', `${TOKENS}/${admin.clientId}`)).status, 204);
      const expected = isStrict ? [401, 401, 401] : [200, 200, 200];
      await eventually(async () => assert.deepEqual(await statuses(), expected));
    });
  });
}
