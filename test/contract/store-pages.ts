// The part of the store's contract that exports use: pages of documents and auth users by id.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  ACME,
  authUser,
  document,
  type OpenStore,
  OTHER,
  text,
  withStore,
} from './store-records.ts';

export function pages(open: OpenStore): void {
  describe('pages by id', () => {
    const held = withStore(open, 'pages');

    test('return each living document of an index once, with its bytes', async () => {
      const { store } = held;
      const ids = ['b', 'Z', 'ä', 'a', 'a b', 'gone', 'c'];
      const documents = ids.map((id) => document(id, `value of ${id}`, '"accounts":[]'));
      const role = { ...document('b', 'a role'), index: 'roles' as const };
      await store.write(async (records) => {
        await records.putDocuments(ACME.id, [...documents, role]);
        await records.putDocuments(OTHER.id, [document('b', 'of another tenant')]);
        await records.deleteDocument(ACME.id, 'identities', 'gone');
      });
      const walked = [];
      for (let after = ''; ; ) {
        const page = await store.read.documentPage(ACME.id, 'identities', after, 2);
        const last = page.at(-1);
        if (last === undefined) break;
        after = last.id;
        walked.push(...page);
      }
      const expected = ['Z', 'a', 'a b', 'b', 'c', 'ä'].map((id) =>
        documents.find((one) => one.id === id),
      );
      assert.deepEqual(
        walked.map(text),
        expected.map((one) => text(one ?? null)),
      );
    });

    test('return the documents with some ids, in their order, without missing ones', async () => {
      const { read } = held.store;
      const asked = ['c', 'none', 'gone', 'a'];
      const documents = await read.documentsById(ACME.id, 'identities', asked);
      assert.deepEqual(
        documents.map(({ id }) => id),
        ['c', 'a'],
      );
      assert.deepEqual(await read.documentsById(OTHER.id, 'identities', asked), []);
      assert.deepEqual(await read.documentsById(ACME.id, 'identities', []), []);
    });

    test('name the change of each living document, and feed again what is asked for', async () => {
      const { store } = held;
      const versions = (after: string, limit: number) =>
        store.read.documentVersions(ACME.id, 'identities', after, limit);
      const before = await versions('', 100);
      assert.deepEqual(
        before.map(({ id }) => id),
        ['Z', 'a', 'a b', 'b', 'c', 'ä'],
      );
      assert.deepEqual(await versions('a', 2), before.slice(2, 4));
      const asked = ['c', 'none', 'gone', 'a'];
      const byId = await store.read.documentVersionsById(ACME.id, 'identities', asked);
      assert.deepEqual(byId, [before[4], before[1]]);
      const last = await store.read.lastSequence();
      const counts = await store.read.documentCounts(ACME.id);
      const stored = text(await store.read.document(ACME.id, 'identities', 'b'));
      await store.write((records) =>
        records.feedAgain(ACME.id, 'identities', ['b', 'none', 'gone']),
      );
      await store.write((records) => records.feedAgain(ACME.id, 'identities', []));
      const changes = await store.read.changesAfter(last, 100);
      assert.deepEqual(
        changes.map(({ sequence, id, document }) => [sequence, id, text(document)]),
        [
          [last + 1, 'b', stored],
          [last + 2, 'none', text(null)],
          [last + 3, 'gone', text(null)],
        ],
      );
      assert.equal(await store.read.lastSequence(), last + 3);
      assert.deepEqual(await store.read.documentCounts(ACME.id), counts);
      assert.deepEqual(await store.read.inconsistencies(), []);
    });

    test('return each auth user of a tenant once', async () => {
      const { store } = held;
      const users = ['u3', 'u1', 'u2'].map((id) => authUser(id, { capabilities: ['HELPDESK'] }));
      await store.write(async (records) => {
        await records.putAuthUsers(ACME.id, users);
        await records.putAuthUsers(OTHER.id, [authUser('u4', {})]);
      });
      const ids = async (after: string, limit: number) =>
        (await store.read.authUserPage(ACME.id, after, limit)).map(({ id }) => id);
      assert.deepEqual(await ids('', 2), ['u1', 'u2']);
      assert.deepEqual(await ids('u2', 2), ['u3']);
      assert.deepEqual(await ids('u3', 2), []);
      const [first] = await store.read.authUserPage(ACME.id, '', 1);
      assert.deepEqual(first?.capabilities, ['HELPDESK']);
    });
  });
}
