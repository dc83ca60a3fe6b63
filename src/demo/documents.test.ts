// The demo company is consistent: every id resolves, every name matches, every count is right, and
// the same seed gives the same bytes.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { before, describe, test } from 'node:test';
import { INDEX_NAMES, indexOfType, staticMapping } from '../query/mapping/document-types.ts';
import type { FieldType, Mapping } from '../query/mapping/mapping.ts';
import { demoAdministratorId, demoAuthUsers } from './auth-users.ts';
import { type DemoOptions, demoDocumentCount, demoDocuments } from './documents.ts';

// biome-ignore lint/suspicious/noExplicitAny: documents are looked at member by member
type Document = Record<string, any>;

const NOW = Date.UTC(2025, 10, 1);
const options = (identities: number, seed = 1): DemoOptions => ({ seed, identities, now: NOW });
const make = (identities: number, seed = 1): Document[] => [
  ...demoDocuments(options(identities, seed)),
];

function digest(documents: Iterable<unknown>): string {
  const hash = createHash('sha256');
  for (const document of documents) hash.update(JSON.stringify(document));
  return hash.digest('hex');
}

/** Identities, seed, and the digests of the documents and of the auth users. */
const DIGESTS: readonly (readonly [number, number, string, string])[] = [
  [50, 7, '4d6c39ab1b8cb85b', '7888c6bca32fa1f4'],
  [3000, 1, 'b2cce4d9beb2587b', '7fce75f55c638988'],
];

describe('determinism', () => {
  test('the same seed gives the same bytes', () => {
    assert.equal(digest(demoDocuments(options(120))), digest(demoDocuments(options(120))));
  });
  // Change these only on purpose: benchmarks, golden files and the examples of the docs use these
  // documents and users.
  for (const [identities, seed, documents, users] of DIGESTS) {
    test(`a company of ${identities} has the same bytes as in the last version`, () => {
      const authUsers = demoAuthUsers({ ...options(identities, seed), tenant: 'demo' });
      const digests = [demoDocuments(options(identities, seed)), authUsers].map(digest);
      assert.deepEqual(
        digests.map((each) => each.slice(0, 16)),
        [documents, users],
      );
    });
  }
  test('another seed gives other documents', () => {
    const ids = new Set(make(50, 1).map(({ id }) => id));
    assert.ok(make(50, 2).every(({ id }) => !ids.has(id)));
  });
});

describe('bounds', () => {
  for (const identities of [1, 2, 3, 4, 5, 17, 40, 50, 300]) {
    test(`a company of ${identities} is consistent`, () => {
      const documents = make(identities);
      assert.equal(documents.length, demoDocumentCount(identities));
      const people = documents.filter(({ _type }) => _type === 'identity');
      assert.equal(people.length, identities);
      for (const { inactive, isManager, ownsCount } of people) {
        if (inactive) assert.deepEqual([isManager, ownsCount], [false, 0]);
      }
      checkReferences(documents);
      const users = [...demoAuthUsers({ ...options(identities), tenant: 'demo' })];
      const admin = users.find(({ id }) => id === demoAdministratorId(options(identities)));
      assert.ok(admin?.capabilities.includes('ORG_ADMIN'));
    });
  }
  for (const identities of [0, -1, 1.5, 2_000_001, Number.NaN]) {
    test(`rejects a company of ${identities}`, () => {
      assert.throws(() => demoDocuments(options(identities)).next(), RangeError);
    });
  }
});

describe('a company of 2,000', () => {
  let documents: Document[];
  let people: Document[];
  before(() => {
    documents = make(2000);
    people = documents.filter(({ _type }) => _type === 'identity');
  });

  test('has 60 % identities, half as many events and a tenth as many activities', () => {
    const share = people.length / documents.length;
    assert.ok(share > 0.54 && share < 0.66, String(share));
    const count = (type: string) => documents.filter(({ _type }) => _type === type).length;
    assert.equal(count('event'), 1000);
    assert.equal(count('accountactivity'), 200);
  });

  test('gives every document and account a unique id of 32 hex digits', () => {
    const ids = documents.flatMap(({ id, accounts }) => [
      id,
      ...(accounts ?? []).map((account: Document) => account['id']),
    ]);
    assert.equal(new Set(ids).size, ids.length);
    for (const id of ids) assert.match(id, /^[0-9a-f]{32}$/);
  });

  test('has unique names', () => {
    assert.equal(new Set(people.map(({ name }) => name)).size, people.length);
  });

  test('has only references to existing objects, by their names', () => checkReferences(documents));

  test('has correct counts', () => {
    for (const person of people) {
      assert.equal(person['accessCount'], person['access'].length);
      const kinds = { ENTITLEMENT: 0, ACCESS_PROFILE: 0, ROLE: 0 };
      for (const { type } of person['access']) kinds[type as keyof typeof kinds] += 1;
      assert.deepEqual(
        [person['entitlementCount'], person['accessProfileCount'], person['roleCount']],
        Object.values(kinds),
      );
      const counted = person['accounts'].filter(
        (account: Document) => account['source'].name !== 'IdentityNow',
      );
      assert.equal(person['accountCount'], counted.length);
      assert.equal(person['appCount'], person['apps'].length);
      assert.equal(person['tagCount'], person['tags'].length);
      assert.equal(person['visibleSegmentCount'], person['visibleSegments'].length);
      const owned = person['owns'].flatMap((owns: Document) =>
        Object.values(owns).filter(Array.isArray).flat(),
      );
      assert.equal(person['ownsCount'], owned.length);
    }
  });

  test('marks exactly the managers as managers', () => {
    const managers = new Set(people.flatMap(({ manager }) => (manager ? [manager.id] : [])));
    for (const { id, isManager, inactive } of people) {
      assert.equal(isManager, managers.has(id));
      assert.ok(!(isManager && inactive));
    }
  });

  test('has each held entitlement on an account of its source', () => {
    for (const { access, accounts } of people) {
      for (const item of access.filter(({ type }: Document) => type === 'ENTITLEMENT')) {
        const held = accounts.some(
          (account: Document) =>
            account['source'].id === item.source.id &&
            account['entitlementAttributes'][item.attribute]?.includes(item.value),
        );
        assert.ok(held, item.name);
      }
    }
  });

  test('has the findings of an audit', () => {
    const some = (name: string, matches: (person: Document) => boolean) =>
      assert.ok(people.some(matches), `nobody ${name}`);
    const accounts = (matches: (account: Document) => boolean) => (person: Document) =>
      person['accounts'].some(matches);
    some('without a profile', ({ identityProfile }) => identityProfile === undefined);
    some(
      'privileged',
      accounts(({ privileged }) => privileged),
    );
    some('with a privileged entitlement', (person) =>
      person['access'].some(({ privileged }: Document) => privileged === true),
    );
    some(
      'with a disabled account',
      accounts(({ disabled }) => disabled),
    );
    some(
      'gone but still with an open account',
      (person) => person['disabled'] && accounts(({ disabled }) => !disabled)(person),
    );
    some(
      'with a non-employee account',
      accounts(({ source }) => source.type === 'Non-Employee'),
    );
    some('locked', ({ locked }) => locked);
    some('in trouble', ({ processingState }) => processingState === 'ERROR');
    for (const script of [
      /\p{Script=Han}/u,
      /\p{Script=Hangul}/u,
      /\p{Script=Cyrillic}/u,
      /'/,
      /ø|ł|ñ/,
    ]) {
      some(`called like ${script}`, ({ displayName }) => script.test(displayName));
    }
  });

  test('writes identity attributes and activity values as strings, since one client reads nothing else', () => {
    for (const { attributes } of people) {
      for (const value of Object.values(attributes)) assert.equal(typeof value, 'string');
    }
    for (const activity of documents.filter(({ _type }) => _type === 'accountactivity')) {
      const requests = [
        ...activity['approvals'].map((approval: Document) => approval['attributeRequest']),
        ...activity['accountRequests'].flatMap((request: Document) => request['attributeRequests']),
      ];
      for (const { value } of requests) assert.equal(typeof value, 'string');
    }
  });

  test('has only dates before the reference date, except for contracts and starts', () => {
    for (const document of documents) {
      const { created, modified = created, synced } = document;
      assert.ok(created <= modified && modified <= new Date(NOW).toISOString(), document['id']);
      assert.ok(synced <= new Date(NOW).toISOString());
    }
  });

  test('has only members of the mapping, with the mapped type', () => {
    const mappings = new Map(
      INDEX_NAMES.map((index) => [index, staticMapping(index, { name: 'demo', pod: 'local' })]),
    );
    for (const document of documents) {
      const index = indexOfType(document['_type']);
      assert.ok(index);
      checkMapped(document, '', mappings.get(index) as Mapping);
    }
  });

  test('has an identity for every auth user', () => {
    const byId = new Map(people.map((person) => [person['id'], person]));
    const users = [...demoAuthUsers({ ...options(2000), tenant: 'demo' })];
    assert.ok(users.length > 1900);
    for (const user of users) {
      const person = byId.get(user.id);
      assert.ok(person);
      assert.deepEqual(
        [user.uid, user.displayName, user.email, user.firstname],
        [person['name'], person['displayName'], person['email'], person['firstName']],
      );
      if (user.capabilities.length > 0) assert.equal(person['inactive'], false);
    }
    const held = new Set(users.flatMap(({ capabilities }) => capabilities));
    for (const capability of [
      'ORG_ADMIN',
      'HELPDESK',
      'REPORT_ADMIN',
      'ROLE_ADMIN',
      'SOURCE_ADMIN',
    ]) {
      assert.ok(held.has(capability), capability);
    }
  });
});

test('a large company has some fifty auth users', () => {
  const users = [...demoAuthUsers({ ...options(1_000_000), tenant: 'demo' })];
  assert.ok(users.length > 40 && users.length < 80, String(users.length));
  assert.equal(new Set(users.map(({ uid }) => uid)).size, users.length);
});

/**
 * Checks that every {id, name} of an identity, entitlement, access profile or role matches its
 * document.
 */
function checkReferences(documents: readonly Document[]): void {
  const byId = new Map(documents.map((document) => [document['id'], document]));
  const elsewhere = new Map<string, string>();
  const visit = (value: unknown, path: string): void => {
    if (Array.isArray(value)) {
      for (const element of value) visit(element, path);
    } else if (typeof value === 'object' && value !== null) {
      const { id, name } = value as Document;
      if (id !== undefined && name !== undefined && !/accounts$|expansionItems$/.test(path)) {
        const expectedName = byId.get(id)?.['name'] ?? elsewhere.get(id);
        if (expectedName === undefined) {
          assert.match(
            path,
            /source|app|segment|group|profile|dimension|provisioningTarget/i,
            path,
          );
          elsewhere.set(id, name);
        } else {
          assert.equal(name, expectedName, path);
        }
      }
      for (const [key, member] of Object.entries(value)) visit(member, `${path}.${key}`);
    }
  };
  for (const document of documents) {
    if (document['_type'] !== 'accountactivity') visit(document, document['_type']);
    else for (const side of ['requester', 'recipient']) visit(document[side], side);
  }
  const logins = new Set(documents.map(({ name }) => name));
  for (const { _type, actor, target, trackingNumber } of documents) {
    if (_type !== 'event') continue;
    assert.ok(actor.name === 'System' || logins.has(actor.name), actor.name);
    assert.ok(logins.has(target.name) && /^[0-9a-f]{32}$/.test(trackingNumber));
  }
}

const JSON_TYPES: Readonly<Record<FieldType, string>> = {
  text: 'string',
  keyword: 'string',
  date: 'string',
  long: 'number',
  double: 'number',
  boolean: 'boolean',
};

function checkMapped(value: unknown, path: string, mapping: Mapping): void {
  if (mapping.dynamicRoots.includes(path)) return;
  if (Array.isArray(value)) {
    for (const element of value) checkMapped(element, path, mapping);
    return;
  }
  if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      checkMapped(member, path === '' ? key : `${path}.${key}`, mapping);
    }
    return;
  }
  if (path in mapping.constants) return;
  const field = mapping.fields.get(path);
  assert.ok(field, `${mapping.index}: ${path} is not mapped`);
  assert.equal(typeof value, JSON_TYPES[field.type], `${mapping.index}: ${path}`);
}
