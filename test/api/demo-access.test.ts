// suite: slow
// What searches of access find in the demo company: administrators by the internal source, holders of
// privileged roles and access profiles, and the members that the public schemas have.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { demoAuthUsers } from '../../src/demo/auth-users.ts';
import { demoDocuments } from '../../src/demo/documents.ts';
import { type RunningService, startService } from '../support/service.ts';

const OPTIONS = { seed: 1, identities: 300, now: Date.UTC(2025, 10, 1) };
// biome-ignore lint/suspicious/noExplicitAny: documents are looked at member by member
type Document = Record<string, any>;
const DOCUMENTS = [...demoDocuments(OPTIONS)] as Document[];
const ofType = (type: string) => DOCUMENTS.filter(({ _type }) => _type === type);
const PEOPLE = ofType('identity');

let service: RunningService;
before(async () => {
  service = await startService();
  await service.addDocuments(DOCUMENTS);
});
after(() => service.stop());

async function ids(index: string, query: string): Promise<string[]> {
  const body = { indices: [index], query: { query }, queryResultFilter: { includes: ['id'] } };
  const answer = await service.call('POST', '/v3/search?limit=1000', body);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('warning'), null, query);
  return ((await answer.json()) as Document[]).map(({ id }) => id).sort();
}

const idsOf = (documents: readonly Document[]) => documents.map(({ id }) => id).sort();

/** The entitlements that an element of `access` grants. */
function contents({ type, id }: Document): readonly Document[] {
  if (type === 'ENTITLEMENT') return ofType('entitlement').filter((one) => one['id'] === id);
  const profile = (one: Document): readonly Document[] =>
    DOCUMENTS.find((document) => document['id'] === one['id'])?.['entitlements'] ?? [];
  if (type === 'ACCESS_PROFILE') return profile({ id });
  const role = DOCUMENTS.find((document) => document['id'] === id) ?? {};
  return [...role['entitlements'], ...role['accessProfiles'].flatMap(profile)];
}

const isPrivileged = (element: Document) =>
  contents(element).some(({ privileged }) => privileged === true);
const holders = (type: string) =>
  PEOPLE.filter(({ access }) =>
    access.some((element: Document) => element['type'] === type && isPrivileged(element)),
  );

describe('in the demo', () => {
  test('access of the internal source finds those who have a level', async () => {
    const users = [...demoAuthUsers({ ...OPTIONS, tenant: 'demo' })];
    const administrators = users.filter(({ capabilities }) => capabilities.length > 0);
    assert.ok(administrators.length > 10);
    for (const query of [
      '@access(source.name.exact:IdentityNow)',
      '@access(source.name:"IdentityNow" AND type:ENTITLEMENT)',
    ]) {
      assert.deepEqual(await ids('identities', query), idsOf(administrators));
    }
    for (const level of ['ORG_ADMIN', 'HELPDESK', 'SOURCE_ADMIN']) {
      assert.deepEqual(
        await ids('identities', `@access(source.name.exact:IdentityNow && name.exact:${level})`),
        idsOf(users.filter(({ capabilities }) => capabilities.includes(level))),
      );
    }
  });

  for (const type of ['ROLE', 'ACCESS_PROFILE', 'ENTITLEMENT']) {
    test(`privileged ${type} finds the holders of what grants privileged access`, async () => {
      const found = await ids('identities', `@access(type:${type} && privileged:true)`);
      assert.ok(found.length > 0 && found.length < PEOPLE.length);
      assert.deepEqual(found, idsOf(holders(type)));
    });
  }

  test('every element of access says whether it is privileged', () => {
    for (const { access } of PEOPLE) {
      for (const element of access) assert.equal(element.privileged, isPrivileged(element));
    }
  });

  const members: readonly (readonly [index: string, query: string])[] = [
    ['identities', 'owns.entitlements.name:*'],
    ['identities', 'owns.entitlements.id:*'],
    ['roles', '@dimensions(entitlements.hash:* AND entitlements.value:*)'],
    ['roles', 'dimensions.entitlements.sourceSchemaObjectType:*'],
    ['roles', '@dimensions(_exists_:entitlements.privileged)'],
    ['entitlements', 'truncatedAttributes:description'],
    ['accountactivities', '@accountRequests(result.ticketId:REQ*)'],
  ];
  for (const [index, query] of members) {
    test(`${index} have what ${query} searches`, async () => {
      assert.ok((await ids(index, query)).length > 0);
    });
  }
});

test('identityCount of older entitlements is a known number', async () => {
  const document = { _type: 'entitlement', id: 'older', name: 'Older', identityCount: 7 };
  const answer = await service.call('POST', '/admin/v1/documents?refresh=wait', document);
  assert.equal(answer.status, 200);
  assert.deepEqual(await ids('entitlements', 'identityCount:>6'), ['older']);
});
