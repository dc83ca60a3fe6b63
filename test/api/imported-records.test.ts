// Records of profile management in an import of profiles: written in the order of the lines, once, and
// refused with their reason.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { jsonSource } from '../../src/json/json-source.ts';
import { operatorOf } from '../../src/service/audit/operator-event.ts';
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
  return cardea.documents.importProfiles(operatorOf(tenantId), jsonSource(bytes()));
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

const RULED: readonly (readonly [attributes: object, reason: RegExp])[] = [
  [{}, /end_date can't be blank/],
  [{ end_date: '01/31/2026', email: 'nobody' }, /email is not an email address/],
  [{ end_date: '01/31/2026', hours_per_week: 'few' }, /hours_per_week is not a number/],
  [{ end_date: '01/31/2026', worker_number: 'C1' }, /worker_number has already been taken/],
];
for (const [n, [attributes, reason]] of RULED.entries()) {
  test(`checks ${JSON.stringify(attributes)} of a line without an id, and restores one with an id`, async () => {
    const profile = {
      uid: `ruled-${n}`,
      profile_type_id: 'contractor',
      status: 'Active',
      name: 'R',
    };
    const taken = { end_date: '01/31/2026', worker_number: 'C1' };
    await importLines([{ ...profile, uid: 'taken', attributes: taken }]);
    const refused = await importLines([{ ...profile, attributes }]);
    assert.match(refused.faults[0]?.reason ?? '', reason);
    const id = `00000000-0000-4000-8000-00000000000${n}`;
    const restored = await importLines([{ ...profile, id, attributes }]);
    assert.deepEqual([restored.created, restored.faults], [1, []]);
    assert.deepEqual(
      (await call('GET', `/api/profiles/${id}`)).body.profile.attributes,
      attributes,
    );
  });
}

test('refuses what does not exist of a line with an id, too', async () => {
  const profile = { profile_type_id: 'contractor', status: 'Active', name: 'R' };
  const id = '00000000-0000-4000-8000-00000000000a';
  const { faults } = await importLines([{ ...profile, id, attributes: { city: 'Atlantis' } }]);
  assert.match(faults[0]?.reason ?? '', /city "Atlantis" is not included in the list/);
});

test('leaves attachments out of a line with an id, with a warning', async () => {
  const id = '00000000-0000-4000-8000-00000000000b';
  const attributes = { phone: '+1 555', contract_file: 'signed.pdf' };
  const line = { profile_type_id: 'contractor', status: 'Active', name: 'R', attributes };
  const restored = await importLines([{ ...line, id }]);
  assert.deepEqual([restored.created, restored.failed, restored.warned], [1, 0, 1]);
  assert.deepEqual(restored.warnings, [
    { line: 1, reason: 'attachments are not imported: contract_file' },
  ]);
  const { profile } = (await call('GET', `/api/profiles/${id}`)).body;
  assert.deepEqual(profile.attributes, { phone: '+1 555' });
  const { faults } = await importLines([{ ...line, uid: 'with-a-file' }]);
  assert.match(faults[0]?.reason ?? '', /contract_file cannot be written as JSON/);
});

test('takes a user without a profile if the line has an id', async () => {
  const user = {
    uid: 'moved',
    name: 'M',
    email: 'm@acme.test',
    login: 'moved',
    type: 'NeaccessUser',
  };
  const refused = await importLines([{ user }]);
  assert.match(refused.faults[0]?.reason ?? '', /profile_id can't be blank/);
  const id = '00000000-0000-4000-8000-00000000000c';
  const restored = await importLines([{ user: { ...user, id, profile_id: null } }]);
  assert.deepEqual([restored.created, restored.faults], [1, []]);
});

test('takes a value of several profiles of which one has a comma in its name', async () => {
  const vendors = ['Graz, Styria Ltd', 'Oslo Ltd'].map((name, n) => ({
    ...{ profile_type_id: 'vendor', status: 'Active', uid: `comma-${n}`, name },
    attributes: { organization_name: name },
  }));
  const attribute = { uid: 'partners', label: 'Partners', data_type: 'profile search' };
  const report = await importLines([
    { ne_attribute: { ...attribute, allow_multiple_selections: true } },
    ...vendors,
    {
      ...{ profile_type_id: 'vendor', status: 'Active', uid: 'partner', name: 'P' },
      attributes: { organization_name: 'P', partners: 'Graz, Styria Ltd, Oslo Ltd' },
    },
  ]);
  assert.deepEqual([report.created, report.faults], [4, []]);
  const { profile } = (await call('GET', '/api/profiles/partner?references=true')).body;
  assert.deepEqual(
    profile.references.partners.map(({ text }: { text: string }) => text),
    ['Graz, Styria Ltd', 'Oslo Ltd'],
  );
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
