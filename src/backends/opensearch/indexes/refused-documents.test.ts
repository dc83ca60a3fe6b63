import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DocumentChange } from '../../../service/ports/store.ts';
import { RefusedDocuments } from './refused-documents.ts';

const change = (id: string, sequence = 1) =>
  ({ sequence, tenantId: 't', index: 'roles', id, document: null }) as DocumentChange;

test('documents are counted and warned of until a later change of them is accepted', () => {
  const logged: unknown[] = [];
  const log = { info: () => {}, warn: (details: object) => logged.push(details) };
  const refused = new RefusedDocuments(log);
  assert.equal(refused.warning, null);
  const reason = 'mapper_parsing_exception: too long';
  const batch = [change('a'), change('b'), change('c')];
  refused.update('t', batch, [
    { change: change('a'), reason },
    { change: change('b'), reason },
  ]);
  assert.deepEqual(logged[1], { tenantId: 't', index: 'roles', id: 'b', reason });
  assert.match(refused.warning ?? '', /refuses 2 documents/);
  assert.equal(refused.count('t', 'roles'), 2);
  assert.equal(refused.count('other', 'roles'), 0);
  refused.update('other', [change('a')], []);
  refused.update('t', [change('a', 2)], [{ change: change('a', 2), reason }]);
  assert.equal(refused.count('t', 'roles'), 2);
  refused.update('t', [change('a', 3), change('b', 4)], []);
  assert.equal(refused.count('t', 'roles'), 0);
  assert.equal(refused.warning, null);
});
