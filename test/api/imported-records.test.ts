// Records of profile management in an import of profiles: written in the order of the lines, once, and
// refused with their reason.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { jsonSource } from '../../src/identity/json/json-source.ts';
import { type Call, withApiKey } from '../support/api-key.ts';
import { profileLines } from '../support/exported-company.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
let call: Call;
before(async () => {
  service = await startService();
  ({ call } = await withApiKey(service));
});
after(() => service.stop());

async function importLines(values: readonly object[]) {
  async function* bytes() {
    yield Buffer.from(values.map((value) => JSON.stringify(value)).join('\n'));
  }
  const { cardea, tenantId } = service;
  return cardea.documents.importProfiles(tenantId, jsonSource(bytes()));
}

test('creates types, attributes, users and profiles that refer to one another, and once only', async () => {
  const lines = [...profileLines()];
  const first = await importLines(lines);
  assert.deepEqual([first.failed, first.faults], [0, []]);
  for (const list of [
    'profile_types',
    'ne_attributes',
    'ne_attribute_options',
    'users',
    'risk_scores',
  ]) {
    const { body } = await call('GET', `/api/${list}?metadata=true&limit=1`);
    assert.ok(body._metadata.total > 0, list);
  }
  assert.match(JSON.stringify((await call('GET', '/api/advanced_search')).body), /leaving-soon/);
  const sequence = await service.cardea.store.read.lastSequence();
  const { created, updated, failed } = await importLines(lines);
  assert.deepEqual([created, updated, failed], [0, 0, 0]);
  assert.equal(await service.cardea.store.read.lastSequence(), sequence);
});

test('changes a record by its id or uid, and keeps what is not sent', async () => {
  const { body: before } = await call('GET', '/api/roles/sponsor');
  const report = await importLines([{ role: { uid: 'sponsor', groups: ['Hosts'] } }]);
  assert.deepEqual([report.created, report.updated, report.failed], [0, 1, 0]);
  const { body: changed } = await call('GET', '/api/roles/sponsor');
  assert.deepEqual(changed.role, { ...before.role, groups: ['Hosts'] });
});

for (const [line, reason] of [
  [{ ne_attribute: { uid: 'x', label: 'X', data_type: 'runes' } }, /data_type is not included/],
  [{ ne_attribute_option: { uid: 'x', option: 'X', ne_attribute_id: 'nosuch' } }, /was not found/],
  [{ user: { id: 'x', name: 'X' } }, /user: id must be a UUID/],
  [{ role: { name: 'X' } }, /role: id and uid are missing/],
  [{ advanced_search: { uid: 'x' } }, /advanced_search: id and uid are needed/],
  [
    {
      advanced_search: {
        ...{ id: '00000000-0000-0000-0000-000000000001', uid: 'x' },
        condition_rules_attributes: [{ type: 'ProfileStatusRule', comparison_operator: '~' }],
      },
    },
    /comparison_operator/,
  ],
] as const) {
  test(`refuses ${JSON.stringify(line).slice(0, 60)}, and takes the next line`, async () => {
    const role = { role: { uid: 'next', name: 'Next', type: 'NeprofileRole' } };
    const { failed, faults } = await importLines([line, role]);
    assert.equal(failed, 1);
    assert.match(faults[0]?.reason ?? '', reason);
    assert.equal((await call('GET', '/api/roles/next')).status, 200);
  });
}
