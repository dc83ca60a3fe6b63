import assert from 'node:assert/strict';
import { test } from 'node:test';
import { referenceAddress } from '../../model/reference.ts';
import { provenanceOf } from './provenance.ts';

const access = {
  id: 'e1',
  name: 'Ledger',
  type: 'ENTITLEMENT',
  value: 'LEDGER',
  source: { id: 's1' },
  standalone: true,
};
const activity = (id: string, created: string, op = 'Add', source = 's1') => ({
  id,
  created,
  requester: { id: 'r1', name: 'rita' },
  approvals: [
    { result: 'Approved', owner: { name: 'otto' } },
    { result: 'Rejected', owner: { name: 'nina' } },
  ],
  originalRequests: [{ source: { id: source }, attributeRequests: [{ op, value: 'LEDGER' }] }],
});

test('finds the latest request that added the value, with its approvers', () => {
  const { origin, request } = provenanceOf(access, [
    activity('a1', '2025-01'),
    activity('a2', '2025-03'),
  ]);
  assert.equal(origin, 'Granted directly');
  assert.equal(request?.activityId, 'a2');
  assert.deepEqual(request?.approvers, ['otto']);
});

test('ignores requests that removed the value or added it to another source', () => {
  const others = [activity('a1', '2025-01', 'Remove'), activity('a2', '2025-02', 'Add', 's2')];
  assert.equal(provenanceOf(access, others).request, null);
  assert.equal(
    provenanceOf({ ...access, standalone: false }, []).origin,
    'Granted through a role or access profile',
  );
});

test('links a reference to its document, and a source to the identities with an account there', () => {
  assert.equal(referenceAddress('manager', { id: 'm1' }), '#/document/identities/m1');
  assert.equal(referenceAddress('access', access), '#/document/entitlements/e1');
  assert.match(referenceAddress('source', { id: 's1' }) ?? '', /^#\/search\/identities\?q=/);
  assert.equal(referenceAddress('segments', { id: 'x' }), null);
  assert.equal(referenceAddress('manager', {}), null);
});
