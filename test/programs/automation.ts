// Terraform providers, PowerShell modules and connectors.
import assert from 'node:assert/strict';
import { lacks, one, somebody, tokenByForm, tokenByQuery } from './calls.ts';
import type { Call, Program } from './conversation.ts';

const firstOf = (path: string, members: readonly string[]): Call => ({
  does: `reads a page of ${path}`,
  request: `GET ${path}?limit=50&offset=0`,
  ...{ least: 1, members },
  keep: { id: '0.id' },
});

const byId = (path: string, members: readonly string[]): Call => ({
  does: `reads one of ${path}`,
  request: `GET ${path}/{id}`,
  members,
});

const onlyOne: NonNullable<Call['holds']> = ({ body }) => assert.equal(body.length, 1);

/** Objects that stand in a configuration of Terraform. */
const configured: readonly Call[] = [
  tokenByQuery,
  somebody,
  one('accessprofiles', '_exists_:source.name', {
    accessProfile: '0.id',
    accessProfileName: '0.name',
    profileSource: '0.source.id',
  }),
  one('roles', 'enabled:true', { role: '0.id' }),
];

/** Providers. */
export const TERRAFORM: readonly Program[] = [
  {
    name: 'Terraform provider by plsph',
    kind: 'Terraform',
    readIn: 'plsph/terraform-provider-identitynow',
    pointedBy: '`api_url` of the provider',
    calls: [
      ...configured,
      {
        does: 'finds a source by name, with a plus for a blank',
        request: 'GET /v2025/sources?filters=name+eq+"{sourceName}"',
        headers: { accept: 'application/json; charset=utf-8' },
        members: ['id', 'name', 'owner'],
        holds(answer, values) {
          onlyOne(answer, values);
          values['typed'] = answer.body[0].name.toUpperCase();
        },
      },
      {
        does: 'finds it in whatever case the name was typed',
        request: 'GET /v2025/sources?filters=name+eq+"{typed}"',
        holds: ({ body }, { sourceId }) => assert.equal(body[0]?.id, sourceId),
      },
      {
        does: 'reads it',
        request: 'GET /v2025/sources/{sourceId}',
        members: ['id', 'name', 'owner', 'connector'],
      },
      {
        does: 'finds an access profile by name',
        request: 'GET /v2025/access-profiles?filters=name+eq+"{accessProfileName}"',
        holds: onlyOne,
      },
      {
        does: 'reads it',
        request: 'GET /v2025/access-profiles/{accessProfile}',
        members: ['id', 'owner', 'source.id', 'entitlements', 'requestable', 'enabled'],
      },
      {
        does: 'reads the entitlements of its source, without a limit',
        request: 'GET /v2025/entitlements?filters=source.id+eq+"{profileSource}"',
        ...{ least: 1, members: ['id', 'name', 'attribute', 'value', 'source.id'] },
        keep: { entitlementName: '0.name', entitlement: '0.id' },
      },
      {
        does: 'finds an entitlement of a source by name, in brackets',
        request:
          'GET /v2025/entitlements?filters=source.id+eq+"{profileSource}"+and+(name+eq+"{entitlementName}")',
        least: 1,
        holds({ body }, { entitlement }) {
          assert.ok((body as { id: string }[]).some(({ id }) => id === entitlement));
        },
      },
      {
        does: 'reads a role',
        request: 'GET /v2025/roles/{role}',
        members: ['id', 'name', 'owner', 'accessProfiles', 'entitlements', 'segments'],
      },
      {
        does: 'learns that a role was deleted since, from the text of the 404',
        request: 'GET /v2025/roles/00000000000000000000000000000000',
        status: 404,
        holds: ({ body }) => assert.equal(typeof body.messages[0].text, 'string'),
      },
      {
        does: 'finds the owner by alias',
        request: 'GET /v2025/identities?filters=alias+eq+"{person}"',
        ...{ members: ['id', 'alias', 'name'], holds: onlyOne },
      },
      {
        does: 'finds the owner by e-mail',
        request: 'GET /v2025/identities?filters=email+eq+"{email}"',
        least: 1,
      },
      lacks(
        'reads a group',
        'GET /v2025/workgroups?filters=id+eq+"{person}"&limit=250&offset=0',
        'governance groups',
      ),
      lacks('reads workflows', 'GET /v2025/workflows', 'workflows'),
      lacks('reads the schema of a source', 'GET /v2025/sources/{sourceId}/schemas/x', 'sources'),
      lacks('creates an access profile', 'POST /v2025/access-profiles', 'access profiles', {
        name: 'By Terraform',
        owner: { id: '{personId}', type: 'IDENTITY' },
        source: { id: '{profileSource}', type: 'SOURCE' },
      }),
    ],
  },
  {
    name: 'Terraform provider by OpenAxon',
    kind: 'Terraform',
    readIn: 'OpenAxon/terraform-provider-identitynow',
    pointedBy: '`api_url` of the provider',
    calls: [
      ...configured,
      {
        does: 'reads a source below /beta',
        request: 'GET /beta/sources/{sourceId}',
        headers: { accept: 'application/json; charset=utf-8' },
        members: ['id', 'name', 'owner', 'connector', 'type'],
      },
      {
        does: 'reads the entitlements of a source',
        request: 'GET /beta/entitlements?filters=source.id+eq+"{profileSource}"',
        ...{ least: 1, members: ['id', 'name', 'sourceSchemaObjectType'] },
        keep: { entitlementName: '0.name' },
      },
      {
        does: 'finds those that start with a name, in brackets',
        request:
          'GET /beta/entitlements?filters=source.id+eq+"{profileSource}"+and+(name+sw+"{entitlementName}")',
        least: 1,
      },
      {
        does: 'reads an access profile',
        request: 'GET /v3/access-profiles/{accessProfile}',
        members: ['id', 'entitlements', 'source'],
      },
      { does: 'reads a role', request: 'GET /v3/roles/{role}', members: ['id', 'accessProfiles'] },
      {
        does: 'finds an identity below /beta',
        request: 'GET /beta/identities?filters=alias+eq+"{person}"',
        ...{ members: ['id', 'alias', 'attributes'], holds: onlyOne },
      },
      lacks(
        'reads the schedule of an aggregation, as the console of 2019 did',
        'GET /cc/api/source/getAggregationSchedules/{sourceId}',
        'private API',
      ),
      lacks('changes a role', 'PATCH /v3/roles/{role}', 'roles', [
        { op: 'replace', path: '/description', value: 'By Terraform' },
      ]),
      lacks(
        'deletes a role, at a path that the vendor does not have either',
        'DELETE /v3/role/{role}',
        'Nothing is served',
      ),
    ],
  },
  {
    name: 'Terraform provider by davidsonjon',
    kind: 'Terraform',
    readIn: 'davidsonjon/terraform-provider-identitynow',
    pointedBy: '`SAIL_BASE_URL`',
    calls: [
      tokenByForm,
      somebody,
      {
        does: 'looks an identity up by alias, page by page',
        request: 'GET /identities/v1?filters=alias eq "{person}"&limit=250&offset={offset}',
        ...{ pages: { limit: 250 }, members: ['id', 'alias', 'emailAddress', 'managerRef'] },
        holds: ({ body }, { personId }) => {
          assert.deepEqual(
            (body as { id: string }[]).map(({ id }) => id),
            [personId],
          );
        },
      },
      {
        does: 'looks an identity up by e-mail',
        request: 'GET /identities/v1?filters=email eq "{email}"&limit=250',
        least: 1,
      },
      { does: 'reads it', request: 'GET /identities/v1/{personId}', members: ['id', 'name'] },
      firstOf('/sources/v1', ['id', 'name', 'owner']),
      byId('/sources/v1', ['id', 'name', 'owner']),
      firstOf('/roles/v1', ['id', 'name', 'owner']),
      byId('/roles/v1', ['id', 'accessProfiles', 'created', 'modified']),
      firstOf('/access-profiles/v1', ['id', 'name', 'source']),
      byId('/access-profiles/v1', ['id', 'entitlements']),
      firstOf('/entitlements/v1', ['id', 'name', 'source']),
      byId('/entitlements/v1', ['id', 'attribute', 'value']),
      lacks('reads segments', 'GET /segments/v1?limit=250', 'segments'),
      lacks('reads groups', 'GET /workgroups/v1?limit=50', 'governance groups'),
      lacks('creates a role', 'POST /roles/v1', 'roles', { name: 'By Terraform' }),
    ],
  },
  {
    name: 'Terraform provider by AnasSahel',
    kind: 'Terraform',
    readIn: 'AnasSahel/terraform-provider-sailpoint-isc-community',
    pointedBy: '`base_url` of the provider',
    calls: [
      tokenByForm,
      {
        does: 'takes the first person as an owner',
        request: 'GET /v2025/public-identities?limit=1',
        ...{ least: 1, members: ['id', 'name', 'alias'] },
      },
      firstOf('/v2025/roles', ['id', 'name']),
      byId('/v2025/roles', ['id', 'owner', 'requestable', 'enabled']),
      firstOf('/v2025/access-profiles', ['id', 'name']),
      byId('/v2025/access-profiles', ['id', 'owner', 'source']),
      firstOf('/v2025/entitlements', ['id', 'name']),
      byId('/v2025/entitlements', ['id', 'requestable', 'source']),
      firstOf('/v2025/sources', ['id', 'name']),
      byId('/v2025/sources', ['id', 'name', 'owner']),
      lacks('reads lifecycle states', 'GET /v2025/identity-profiles', 'identity profiles'),
      lacks('reads forms', 'GET /v2025/form-definitions', 'forms'),
      lacks('reads workflows', 'GET /v2025/workflows/{id}', 'workflows'),
    ],
  },
];

/** Modules. */
export const POWERSHELL: readonly Program[] = [
  {
    name: 'PowerShell module SailPointIdentityNow',
    kind: 'PowerShell',
    readIn: 'darrenjrobinson/powershell_module_identitynow',
    pointedBy:
      'host `{org}.api.identitynow.com`, certificate in the trust of the machine, or `SSL_CERT_FILE`',
    calls: [
      tokenByForm,
      {
        does: 'searches entitlements by source, without nested objects',
        request: 'POST /v3/search?offset=0&limit=2500&count=false',
        json: {
          query: { query: '*' },
          ...{ indices: ['entitlements'], includeNested: false, sort: ['source.name'] },
        },
        ...{ least: 1, members: ['id', 'name', 'source'] },
      },
      {
        does: 'writes a flag as PowerShell prints it, which is no JSON',
        request: 'POST /v3/search?offset=0&limit=2500&count=false',
        headers: { 'content-type': 'application/json' },
        text: '{"query":{"query":"*"},"indices":["roles"],"includeNested":True,"sort":["name"]}',
        status: 400,
        holds: ({ body }) => assert.match(JSON.stringify(body), /True/),
      },
      {
        does: 'searches events, the newest first',
        request: 'POST /v3/search?limit=2500',
        json: { query: { query: '*' }, indices: ['events'], sort: ['-created'] },
        ...{ least: 1, members: ['id', 'created'] },
      },
      {
        does: 'lists sources',
        request: 'GET /v3/sources',
        ...{ least: 1, members: ['id', 'name'] },
        keep: { sourceId: '0.id' },
      },
      { does: 'reads a source', request: 'GET /v3/sources/{sourceId}', members: ['id', 'name'] },
      {
        does: 'counts the accounts of a source, and reads them in pages',
        request:
          'GET /beta/accounts?count=true&limit=250&offset={offset}&filters=sourceId eq "{sourceId}"',
        ...{ pages: { limit: 250 }, counts: true },
      },
      {
        does: 'lists account activities',
        request: 'GET /v3/account-activities?limit=250',
        ...{ least: 1, members: ['id', 'created'] },
        keep: { activity: '0.id', target: '0.targetIdentitySummary.id' },
      },
      {
        does: 'lists those for a person',
        request: 'GET /v3/account-activities?requested-for={target}&limit=250',
        least: 1,
      },
      {
        does: 'reads one',
        request: 'GET /v3/account-activities/{activity}',
        members: ['id'],
      },
      {
        does: 'lists personal access tokens below /beta',
        request: 'GET /beta/personal-access-tokens?count=true&offset=0&limit=999',
        holds: ({ status }) => assert.equal(status, 200),
      },
      lacks('reads the organisation', 'GET /beta/org-config', 'org config'),
      lacks('lists users as the console of 2019 did', 'GET /cc/api/user/list', 'private API'),
      lacks('lists access profiles of version 2', 'GET /v2/access-profiles', 'earlier API'),
    ],
  },
  {
    name: 'PowerShell module PSIdentityNow',
    kind: 'PowerShell',
    readIn: 'EUCTechTopics/PSIdentityNow',
    pointedBy: 'base URL as a secret or variable',
    calls: [
      tokenByForm,
      {
        does: 'counts with a flag as PowerShell prints it',
        request: 'GET /v3/roles?offset=0&count=True',
        ...{ least: 1, counts: true, members: ['id', 'name'] },
        keep: { role: '0.name' },
      },
      {
        does: 'filters by name and a flag',
        request:
          'GET /v3/roles?count=True&offset=0&filters=name eq "{role}" and requestable eq true',
        counts: true,
      },
      {
        does: 'filters by a time',
        request:
          'GET /v3/access-profiles?offset=0&count=True&filters=modified le 2100-01-01T00:00:00.000Z',
        ...{ least: 1, counts: true },
      },
      {
        does: 'lists public identities by the start of their alias',
        request: 'GET /v3/public-identities?offset=0&count=True&filters=alias sw "a"',
        ...{ least: 1, counts: true, members: ['id', 'alias'] },
      },
      lacks('lists transforms', 'GET /v3/transforms?count=True&offset=0', 'transforms'),
      lacks('renames a role', 'PATCH /v3/roles/some-id', 'roles', [
        { op: 'replace', path: '/name', value: 'Other' },
      ]),
    ],
  },
];
