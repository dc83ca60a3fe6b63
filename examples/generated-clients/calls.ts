// A few calls with a TypeScript client that openapi-typescript generates from the OpenAPI document of a running server
// (docs/api.md, "Generate a client"). Prints one JSON object.
import { env, stdout } from 'node:process';
import createClient from 'openapi-fetch';
import type { paths } from './cardea.js';

const { CARDEA_URL: url = '', CARDEA_CLIENT_ID: id = '', CARDEA_CLIENT_SECRET: secret = '' } = env;

const token = await createClient<paths>({ baseUrl: url }).POST('/oauth/token', {
  body: { grant_type: 'client_credentials', client_id: id, client_secret: secret },
});
if (token.data === undefined) throw new Error(JSON.stringify(token.error));
const headers = { authorization: `Bearer ${token.data.access_token}` };

const tenant = createClient<paths>({ baseUrl: `${url}/v2025`, headers });
const people = await tenant.POST('/search', {
  params: { query: { limit: 2, count: true } },
  body: { indices: ['identities'], query: { query: '*' }, sort: ['id'] },
});
const refused = await tenant.POST('/search', {
  body: { indices: ['identities'], query: { query: 'name:"not closed' } },
});

const profileManagement = createClient<paths>({ baseUrl: `${url}/api`, headers });
const types = await profileManagement.GET('/profile_types', {
  params: { query: { limit: 2, order: 'name', metadata: true } },
});

stdout.write(
  JSON.stringify({
    people: people.data?.map((hit) => (typeof hit === 'string' ? hit : hit.id)),
    total: people.response.headers.get('x-total-count'),
    cause: refused.error && 'causes' in refused.error ? refused.error.causes[0]?.text : null,
    profileTypes:
      types.data && 'profile_types' in types.data
        ? types.data.profile_types.map((t) => t.name)
        : [],
  }),
);
