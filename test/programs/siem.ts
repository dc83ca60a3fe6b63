// Connectors of SIEM vendors and SOAR integrations: they poll the events, and some the identities.
import assert from 'node:assert/strict';
import { lacks, narrowToken, somebody, tokenByBasic, tokenByForm, tokenByQuery } from './calls.ts';
import type { Answer, Program } from './conversation.ts';

const EVENT = ['id', 'created', 'action', 'type', 'technicalName', 'status'];

const oldestFirst = ({ body }: Answer): void => {
  const times = (body as { created: string }[]).map(({ created }) => created);
  assert.deepEqual(times, [...times].sort());
};

/** Connectors. */
export const SIEM: readonly Program[] = [
  {
    name: 'Microsoft Sentinel, function app',
    kind: 'SIEM',
    readIn: 'Azure/Azure-Sentinel',
    pointedBy: 'host `{tenant}.api.identitynow-demo.com`',
    calls: [
      tokenByQuery,
      {
        does: 'reads the events after its checkpoint, an hour late',
        request: 'POST /v2025/search/events?count=true&offset=0&limit=250',
        json: {
          queryType: 'SAILPOINT',
          query: { query: 'created:>{monthAgoEscaped} AND created:<{hourAgoEscaped}' },
          ...{ queryResultFilter: {}, sort: ['created'], searchAfter: [] },
        },
        ...{ least: 1, counts: true, members: EVENT, holds: oldestFirst },
      },
    ],
  },
  {
    name: 'Microsoft Sentinel, codeless poller',
    kind: 'SIEM',
    readIn: 'Azure/Azure-Sentinel',
    pointedBy: 'runs in Azure: a public name and certificate',
    calls: [
      narrowToken,
      {
        does: 'checks the connection',
        request: 'POST /v2025/search/events',
        json: { indices: ['events'], query: { query: '*' } },
        least: 1,
      },
      {
        does: 'reads a window of time with the largest page',
        request: 'POST /v2025/search/events?limit=10000',
        json: {
          indices: ['events'],
          query: { query: 'created:[{monthAgo} TO {hourAgo}]' },
          sort: ['created'],
        },
        ...{ least: 1, members: EVENT, holds: oldestFirst },
      },
      {
        does: 'may do nothing else with that token',
        request: 'GET /v3/personal-access-tokens',
        status: 403,
      },
    ],
  },
  {
    name: 'Elastic integration, events',
    kind: 'SIEM',
    readIn: 'elastic/integrations',
    pointedBy: 'API host in its settings',
    calls: [
      narrowToken,
      {
        does: 'walks the events from a time on, by the time alone',
        request: 'POST /v2024/search/events?limit=5',
        json: {
          searchAfter: ['{monthAgo}'],
          queryType: 'SAILPOINT',
          sort: ['created'],
          query: { query: '*' },
          queryResultFilter: {},
        },
        ...{ least: 1, members: EVENT, holds: oldestFirst },
        keep: { last: '-1.created' },
      },
      {
        does: 'continues after the last event',
        request: 'POST /v2024/search/events?limit=5',
        json: {
          searchAfter: ['{last}'],
          queryType: 'SAILPOINT',
          sort: ['created'],
          query: { query: '*' },
          queryResultFilter: {},
        },
        holds(answer, { last }) {
          oldestFirst(answer);
          for (const { created } of answer.body) assert.ok(created > String(last));
        },
      },
    ],
  },
  {
    name: 'Elastic integration, identities',
    kind: 'SIEM',
    readIn: 'elastic/integrations',
    pointedBy: 'API host in its settings',
    calls: [
      narrowToken,
      {
        does: 'reads the first page of all identities',
        request: 'POST /v2025/search?limit=20',
        json: {
          indices: ['identities'],
          queryType: 'SAILPOINT',
          query: { query: '*' },
          sort: ['modified', '+id'],
        },
        ...{ least: 20, members: ['id', 'modified'] },
        keep: { lastModified: '-1.modified', lastId: '-1.id' },
      },
      {
        does: 'walks the others by two keys, within a range of the first',
        request: 'POST /v2025/search?limit=20',
        json: {
          indices: ['identities'],
          queryType: 'SAILPOINT',
          query: { query: '*' },
          filters: {
            modified: {
              type: 'RANGE',
              range: { lower: { value: '{lastModified}', inclusive: true } },
            },
          },
          sort: ['modified', '+id'],
          searchAfter: ['{lastModified}', '{lastId}'],
        },
        least: 1,
        holds({ body }, { lastId }) {
          assert.ok(!(body as { id: string }[]).some(({ id }) => id === lastId));
        },
        keep: { managerId: '0.manager.id' },
      },
      {
        does: 'reads the reports of a manager',
        request: 'POST /v2025/search?limit=250',
        json: {
          indices: ['identities'],
          queryType: 'SAILPOINT',
          query: { query: 'manager.id:{managerId}' },
          sort: ['+id'],
        },
        ...{ least: 1, members: ['id', 'name', 'email'] },
      },
    ],
  },
  {
    name: 'Splunk add-on for audit events',
    kind: 'SIEM',
    readIn: 'public copies of the add-on',
    pointedBy: 'host',
    calls: [
      tokenByForm,
      {
        does: 'reads the events after its checkpoint, an hour late, in the largest page',
        request: 'POST /v3/search/events?count=true&offset=0&limit=10000',
        json: {
          queryType: 'SAILPOINT',
          query: { query: 'created:>{monthAgoEscaped} AND created:<{hourAgoEscaped}' },
          ...{ queryResultFilter: {}, sort: ['created'], searchAfter: [] },
        },
        ...{ least: 1, counts: true, members: EVENT },
        holds(answer, values) {
          oldestFirst(answer);
          values['checkpoint'] = answer.body.at(-1).created.replace(/[-:.]/g, '\\$&');
        },
      },
      {
        does: 'finds nothing after the last of them, and needs the total of that',
        request: 'POST /v3/search/events?count=true&offset=0&limit=10000',
        json: {
          queryType: 'SAILPOINT',
          query: { query: 'created:>{checkpoint} AND created:<{hourAgoEscaped}' },
          ...{ queryResultFilter: {}, sort: ['created'], searchAfter: [] },
        },
        holds({ body, headers }) {
          assert.deepEqual(body, []);
          assert.equal(headers.get('x-total-count'), '0');
        },
      },
    ],
  },
  {
    name: 'Cribl pack, collector of events',
    kind: 'SIEM',
    readIn: 'VisiCore/Content',
    pointedBy: 'host `{host}.api.identitynow.com`',
    calls: [
      { ...tokenByForm, headers: { scope: 'sp:scope:all' } },
      {
        does: 'pages with the parameters of another service, and a number in count',
        request: 'POST /v3/search?limit=250&startIndex=1&count=1000',
        json: { indices: ['events'], query: { query: 'type:*' } },
        status: 400,
        holds({ body, headers }) {
          assert.match(JSON.stringify(body), /count/);
          assert.match(headers.get('warning') ?? '', /startIndex/);
        },
      },
      {
        does: 'reads a page when the paging of the pack is turned off',
        request: 'POST /v3/search?limit=250',
        json: { indices: ['events'], query: { query: 'type:*' } },
        ...{ least: 1, members: EVENT },
      },
    ],
  },
];

/** Integrations. */
export const SOAR: readonly Program[] = [
  {
    name: 'Cortex XSOAR, integration',
    kind: 'SOAR',
    readIn: 'demisto/content',
    pointedBy: 'URL in its settings',
    calls: [
      tokenByQuery,
      {
        does: 'searches identities, roles and access profiles below /beta',
        request: 'POST /beta/search?offset=0&limit=250',
        json: {
          indices: ['identities'],
          query: { query: 'attributes.cloudLifecycleState:active' },
        },
        ...{ least: 1, members: ['id', 'name', 'displayName', 'attributes', 'accounts'] },
      },
      {
        does: 'searches roles',
        request: 'POST /beta/search?offset=0&limit=250',
        json: { indices: ['roles'], query: { query: '*' } },
        ...{ least: 1, members: ['id', 'name', 'owner', 'accessProfileCount'] },
      },
      somebody,
      {
        does: 'gets accounts by name',
        request: 'GET /beta/accounts?offset=0&limit=250&filters=name eq "{account}"',
        ...{ least: 1, members: ['id', 'name', 'identityId', 'nativeIdentity', 'sourceId'] },
      },
      {
        does: 'gets accounts by name and native identity',
        request:
          'GET /beta/accounts?offset=0&limit=250&filters=name eq "{account}" and nativeIdentity eq "{nativeIdentity}"',
        ...{ least: 1, members: ['attributes', 'disabled', 'locked', 'hasEntitlements'] },
        holds: ({ body }, { account }) => {
          for (const { name } of body) assert.equal(name, account);
        },
      },
      {
        does: 'gets an account by id',
        request: 'GET /beta/accounts/{accountId}?offset=0&limit=250',
        members: ['id', 'nativeIdentity', 'sourceId', 'uncorrelated'],
      },
      {
        does: 'gets account activities',
        request: 'GET /beta/account-activities?offset=0&limit=250',
        ...{ least: 1, members: ['id', 'created', 'targetIdentitySummary', 'items'] },
        keep: { target: '0.targetIdentitySummary.id', activity: '0.id' },
      },
      {
        does: 'gets those of a person',
        request:
          'GET /beta/account-activities?offset=0&limit=250&requested-for={target}&filters=type eq "appRequest"',
        holds: ({ body }) => assert.ok(Array.isArray(body)),
      },
      lacks('requests access for a person', 'POST /beta/access-requests', 'access requests', {
        requestedFor: ['{personId}'],
        requestType: 'GRANT_ACCESS',
        requestedItems: [{ type: 'ROLE', id: '{personId}', comment: 'by a playbook' }],
        clientMetadata: {},
      }),
    ],
  },
  {
    name: 'Cortex XSIAM, event collector',
    kind: 'SOAR',
    readIn: 'demisto/content',
    pointedBy: 'URL in its settings',
    calls: [
      tokenByBasic,
      {
        does: 'reads events from a time until now',
        request: 'POST /v3/search?limit=10000',
        json: {
          indices: ['events'],
          ...{ queryType: 'SAILPOINT', queryVersion: '5.2', sort: ['+created'] },
          query: { query: 'type:* AND created: [{monthAgo} TO now]' },
          timeZone: 'GMT',
        },
        ...{ least: 1, members: EVENT, holds: oldestFirst },
        keep: { eventId: '0.id' },
      },
      {
        does: 'continues after an id',
        request: 'POST /v3/search?limit=50',
        json: {
          indices: ['events'],
          ...{ queryType: 'SAILPOINT', queryVersion: '5.2', sort: ['+id'] },
          query: { query: 'type:* ' },
          searchAfter: ['{eventId}'],
        },
        holds({ body }, { eventId }) {
          for (const { id } of body) assert.ok(id > String(eventId));
        },
      },
    ],
  },
  {
    name: 'FortiSOAR connector',
    kind: 'SOAR',
    readIn: 'fortinet-fortisoar/connector-sailpoint-identitynow',
    pointedBy: 'URL in its settings',
    calls: [
      tokenByForm,
      somebody,
      {
        does: 'gets the accounts of a source',
        request: 'GET /v3/accounts?limit=50&offset=0&count=true&filters=sourceId eq "{sourceId}"',
        ...{ least: 1, counts: true, members: ['id', 'name', 'sourceId', 'sourceName'] },
      },
      {
        does: 'gets an account, with an empty body',
        request: 'GET /v3/accounts/{accountId}',
        headers: { 'content-type': 'application/json' },
        members: ['id', 'attributes'],
      },
      {
        does: 'gets account activities, the newest first',
        request: 'GET /v3/account-activities?limit=10&sorters=-created',
        ...{ least: 1, members: ['id', 'created'] },
        keep: { activity: '0.id' },
      },
      {
        does: 'gets one of them',
        request: 'GET /v3/account-activities/{activity}',
        members: ['id', 'completionStatus', 'items'],
      },
      lacks('disables an account', 'POST /v3/accounts/{accountId}/disable', 'accounts', {}),
      lacks(
        'asks for the keys of passwords',
        'POST /v3/query-password-info',
        'password management',
        {
          userName: '{account}',
          sourceName: '{sourceName}',
        },
      ),
      lacks('revokes access', 'POST /v3/access-requests', 'access requests', {
        requestedFor: ['{personId}'],
        requestType: 'REVOKE_ACCESS',
        requestedItems: [{ type: 'ROLE', id: '{personId}' }],
      }),
    ],
  },
];
