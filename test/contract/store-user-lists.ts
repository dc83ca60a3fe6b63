// The part of the store's contract that lists auth users: filters, order, pages and totals; and the
// events about one of them.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readCollectionFilter } from '../../src/query/collections/collection-filter.ts';
import type { CollectionSorter } from '../../src/query/collections/collection-page.ts';
import type { Act } from '../../src/query/mapping/event-names.ts';
import { LOCAL_OPERATOR, recordAuditEvents } from '../../src/service/audit/audit-event.ts';
import { AUTH_USER_FIELDS } from '../../src/service/ports/auth-user-list.ts';
import type { Store } from '../../src/service/ports/store.ts';
import { ACME, authUser, type OpenStore, OTHER, withStore } from './store-records.ts';

const USERS = [
  authUser('u1', {
    ...{ displayName: 'Ada Lovelace', email: 'ADA@acme.test', lastLoginTimestamp: 30 },
    capabilities: ['ORG_ADMIN', 'HELPDESK'],
  }),
  authUser('u2', {
    ...{ displayName: 'bo "100%_x" \\', email: null, lastLoginTimestamp: 0 },
    capabilities: ['HELPDESK'],
  }),
  authUser('U3', { displayName: 'Éva', email: '', lastLoginTimestamp: 20 }),
  authUser('u4', { displayName: 'adam', email: 'b@acme.test', capabilities: ['CERT_ADMIN'] }),
];

const ALL = { filter: null, sorters: [], limit: 100, offset: 0, count: true } as const;

export function userLists(open: OpenStore): void {
  describe('lists of auth users', () => {
    const held = withStore(open, 'user-lists');
    let isWritten = false;
    const filled = async (): Promise<Store> => {
      if (!isWritten) {
        await held.store.write(async (records) => {
          await records.putAuthUsers(ACME.id, USERS);
          await records.putAuthUsers(OTHER.id, [
            authUser('o1', { displayName: 'Ada Other', capabilities: ['ORG_ADMIN'] }),
          ]);
          await records.setTokenState(ACME.id, 'u2', { enabled: false, tokensValidFrom: 0 });
          await records.setUserView(ACME.id, 'u4', 'Sales');
        });
      }
      isWritten = true;
      return held.store;
    };
    const idsOf = async (text: string, sorters: readonly CollectionSorter[] = []) => {
      const { read } = await filled();
      const filter = readCollectionFilter(text, AUTH_USER_FIELDS);
      const { users, total } = await read.listAuthUsers(ACME.id, { ...ALL, filter, sorters });
      assert.equal(total, users.length);
      return users.map(({ user }) => user.id).join(' ');
    };
    const cases: readonly [string, string][] = [
      ['', 'U3 u1 u2 u4'],
      ['capabilities ca "ORG_ADMIN"', 'u1'],
      ['capabilities ca ("ORG_ADMIN", "HELPDESK")', 'u1'],
      ['capabilities ca ("CERT_ADMIN", "HELPDESK")', ''],
      ['capabilities in ("CERT_ADMIN", "HELPDESK")', 'u1 u2 u4'],
      ['capabilities ca "org_admin"', 'u1'],
      ['capabilities ca ("Org_Admin", "ORG_ADMIN", "helpdesk")', 'u1'],
      ['capabilities in ("cert_admin")', 'u4'],
      ['capabilities pr', 'u1 u2 u4'],
      ['capabilities isnull', 'U3'],
      ['not (capabilities ca "HELPDESK")', 'U3 u4'],
      ['name eq "ADA LOVELACE"', 'u1'],
      ['displayName sw "AD"', 'u1 u4'],
      ['name co "Lace"', 'u1'],
      ['name co "%"', 'u2'],
      ['name co "_X\\" \\\\"', 'u2'],
      ['name co "x_"', ''],
      ['name in ("Éva", "ADAM")', 'U3 u4'],
      ['name eq "éva"', 'U3'],
      ['name eq "eva"', ''],
      ['name gt "ADAM" and name lt "éz"', 'U3 u2'],
      ['name ge "ADAM"', 'U3 u2 u4'],
      ['name le "adam"', 'u1 u4'],
      ['id eq "u3"', 'U3'],
      ['uid in ("uid-u3", "UID-U1")', 'U3 u1'],
      ['id eq "U3"', 'U3'],
      ['uid eq "UID-U3"', 'U3'],
      ['email pr', 'u1 u4'],
      ['email isnull', 'U3 u2'],
      ['email ne "ada@acme.test"', 'U3 u2 u4'],
      ['view eq "Sales"', 'u4'],
      ['view in ("sales", "other")', 'u4'],
      ['view gt "SALE"', 'u4'],
      ['view pr and not (view ne "Sales")', 'u4'],
      ['view isnull', 'U3 u1 u2'],
      ['enabled eq false', 'u2'],
      ['enabled ne false and capabilities pr', 'u1 u4'],
      ['lastLoginTimestamp ge 20 and lastLoginTimestamp lt 1000', 'U3 u1'],
      ['lastLoginTimestamp in (0, 30)', 'u1 u2'],
      ['lastLoginTimestamp gt 1763999999999.5', 'u4'],
      ['name sw "ad" or enabled eq false', 'u1 u2 u4'],
      ['name eq "\'; drop table auth_user; --"', ''],
    ];
    for (const [text, expected] of cases) {
      test(`filter by ${text || 'nothing'}`, async () => {
        assert.equal(await idsOf(text), expected);
      });
    }

    test('match filters of as many clauses as a request may have', async () => {
      const many = (join: string, clause: (n: number) => string) =>
        Array.from({ length: join === ', ' ? 1_000 : 100 }, (_, n) => clause(n)).join(join);
      assert.equal(await idsOf(many(' or ', (n) => `name eq "adam${n || ''}"`)), 'u4');
      assert.equal(await idsOf(many(' and ', (n) => `name ne "adam${n || ''}"`)), 'U3 u1 u2');
      const names = many(', ', (n) => `"${n === 0 ? 'HELPDESK' : n}"`);
      assert.equal(await idsOf(`capabilities in (${names})`), 'u1 u2');
      assert.equal(await idsOf(`capabilities ca (${names})`), '');
      const held = many(' or ', (n) => `capabilities ca "${n === 0 ? 'HELPDESK' : n}"`);
      assert.equal(await idsOf(held), 'u1 u2');
      assert.equal(await idsOf('capabilities ca ("HELPDESK", "HELPDESK")'), 'u1 u2');
      assert.equal(await idsOf(`${'('.repeat(50)}name pr${')'.repeat(50)}`), 'U3 u1 u2 u4');
    });

    test('are in the requested order, then by id, missing values last', async () => {
      const by = (field: string, order: 'asc' | 'desc' = 'asc') => [{ field, order } as const];
      assert.equal(await idsOf('', by('name')), 'u1 u4 u2 U3');
      assert.equal(await idsOf('', by('name', 'desc')), 'U3 u2 u4 u1');
      assert.equal(await idsOf('', by('lastLoginTimestamp', 'desc')), 'u4 u1 U3 u2');
      assert.equal(await idsOf('', by('email')), 'U3 u1 u4 u2');
      assert.equal(await idsOf('', by('email', 'desc')), 'u4 u1 U3 u2');
      assert.equal(await idsOf('', [...by('enabled'), ...by('id', 'desc')]), 'u2 u4 U3 u1');
      assert.equal(await idsOf('', by('id')), 'u1 u2 U3 u4');
    });

    test('are in the order of views, those without one last', async () => {
      assert.equal(await idsOf('', [{ field: 'view', order: 'desc' }]), 'u4 U3 u1 u2');
    });

    test('come in pages, with the total of all', async () => {
      const { read } = await filled();
      const page = async (query: object) => {
        const { users, total } = await read.listAuthUsers(ACME.id, { ...ALL, ...query });
        return [users.map(({ user }) => user.id).join(' '), total];
      };
      assert.deepEqual(await page({ limit: 2 }), ['U3 u1', 4]);
      assert.deepEqual(await page({ limit: 2, offset: 3 }), ['u4', 4]);
      assert.deepEqual(await page({ limit: 2, offset: 9 }), ['', 4]);
      assert.deepEqual(await page({ limit: 0, count: false }), ['', null]);
      assert.deepEqual(await page({ limit: 2, after: 'u1' }), ['u2 u4', 2]);
    });

    test('return the stored users with their state, of one tenant alone', async () => {
      const { read } = await filled();
      const { users } = await read.listAuthUsers(ACME.id, ALL);
      const [, ada, bo] = users;
      assert.deepEqual(ada?.user, await read.authUser(ACME.id, 'u1'));
      assert.deepEqual(ada?.status, { enabled: true, tokensValidFrom: 0, view: null });
      assert.equal(bo?.status.enabled, false);
      const { users: others } = await read.listAuthUsers(OTHER.id, ALL);
      assert.deepEqual(
        others.map(({ user }) => user.id),
        ['o1'],
      );
      assert.deepEqual((await read.listAuthUsers('no-tenant', ALL)).users, []);
    });
  });

  describe('events about an auth user', () => {
    const held = withStore(open, 'user-events');
    const odd = 'id "quoted" \\ back';

    test('are those with its id, newest first, in pages, of one tenant', async () => {
      const { store } = held;
      const event = (n: number, targetId: string, act: Act) => ({
        ...{ id: `e${n}`, created: `2026-01-01T00:00:0${n}.000Z`, actor: LOCAL_OPERATOR },
        // A name that looks like the attribute must not count as one.
        ...{ target: `x","attributes":{"targetId":"u1"`, act, attributes: { targetId } },
      });
      const changed = 'AUTH_USER_PATCH';
      await store.write(async (records) => {
        await recordAuditEvents(records, ACME.id, [
          event(1, 'u1', changed),
          event(2, 'u2', changed),
          event(3, 'u1', 'PERSONAL_ACCESS_TOKEN_CREATE'),
          event(4, odd, changed),
          event(5, 'u1', changed),
        ]);
        await recordAuditEvents(records, OTHER.id, [event(6, 'u1', changed)]);
      });
      const idsOf = async (targetId: string, part = {}) => {
        const query = { targetId, limit: 10, offset: 0, count: true, ...part };
        const { texts, total } = await store.read.authUserEvents(ACME.id, query);
        return [texts.map((text) => (JSON.parse(text) as { id: string }).id).join(' '), total];
      };
      assert.deepEqual(await idsOf('u1'), ['e5 e1', 2]);
      assert.deepEqual(await idsOf('u1', { limit: 1, offset: 1 }), ['e1', 2]);
      assert.deepEqual(await idsOf('u1', { count: false }), ['e5 e1', null]);
      assert.deepEqual(await idsOf(odd), ['e4', 1]);
      assert.deepEqual(await idsOf('u'), ['', 0]);
    });
  });
}
