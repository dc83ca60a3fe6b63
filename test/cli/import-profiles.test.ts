// suite: slow
// cardea import --profiles: profiles as GET /api/profiles shows them, from one tenant into another, again and again.
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { StopSignal } from '../../src/cli/common/stop-signal.ts';
import { valueLines } from '../../src/cli/common/value-lines.ts';
import { DemoProfiles } from '../../src/demo/profiles.ts';
import { operatorOf } from '../../src/service/audit/operator-event.ts';
import { wrapped } from '../../src/service/profiles/resource-import.ts';
import { type Call, withApiKey } from '../support/api-key.ts';
import { commandLine } from '../support/command-line.ts';
import { putDemoProfiles } from '../support/demo-profiles.ts';
import { type RunningService, startService } from '../support/service.ts';

// biome-ignore lint/suspicious/noExplicitAny: profiles are looked at member by member
type Wire = Record<string, any>;

const PROFILES = 120;
const date = '2025-06-30T00:00:00.000Z';
const directory = mkdtempSync(join(tmpdir(), 'cardea-import-profiles-'));

let source: RunningService;
let target: RunningService;
let call: Call;
/** As the source shows them. */
let shown: Wire[];
let expected: Wire[];

before(async () => {
  source = await startService();
  target = await startService();
  ({ call } = await withApiKey(target));
  const demo = await putDemoProfiles(source, PROFILES, date);
  const from = await withApiKey(source);
  shown = await everything(from.call);
  expected = shown;
  // What the profiles name; they themselves come by the command.
  const types = [...demo.dependents()].filter(({ kind }) => kind === 'profileType');
  const lines = [...demo.definitions(), ...types].flatMap(({ kind, records }) =>
    wrapped(kind, records, date),
  );
  const stop = new StopSignal(new EventEmitter(), Date.now, () => {});
  const { documents } = target.cardea;
  const { faults } = await documents.importProfiles(
    operatorOf(target.tenantId),
    valueLines(lines, stop),
    {
      isSeed: true,
    },
  );
  assert.deepEqual(faults, []);
});
after(async () => {
  await source.stop();
  await target.stop();
  rmSync(directory, { recursive: true, force: true });
});

async function everything(ask: Call): Promise<Wire[]> {
  const { body } = await ask('GET', '/api/profiles?after_id=&limit=500');
  return body;
}

function file(name: string, content: string | Uint8Array): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

const lines = (values: readonly unknown[]): string =>
  values.map((value) => JSON.stringify(value)).join('\n');

async function importProfiles(...args: string[]) {
  const all = ['import', '--profiles', ...args, '--data-dir', target.dataDir, '--json'];
  const line = commandLine(all);
  const code = await line.ended;
  const { created, updated, unchanged, failed, faults, searchable } = JSON.parse(line.out());
  return { code, counts: [created, updated, unchanged, failed], faults, searchable };
}

test('what one tenant shows, another one takes: references by name, times and keys as they were', async () => {
  const first = await importProfiles(file('first.ndjson', lines(shown)));
  assert.deepEqual(first.faults, []);
  assert.deepEqual([first.code, first.counts], [0, [PROFILES, 0, 0, 0]]);
  assert.deepEqual(await everything(call), expected);
});

test('a file that is imported again changes nothing, in whatever form', async () => {
  const sequence = await target.cardea.store.read.lastSequence();
  const wrapped = shown.map((profile) => ({ profile }));
  const packed = gzipSync(JSON.stringify(wrapped));
  for (const path of [file('array.json', JSON.stringify(shown)), file('wrapped.gz', packed)]) {
    assert.deepEqual((await importProfiles(path)).counts, [0, 0, PROFILES, 0]);
  }
  const byUid = shown.map(({ id: _, ...profile }) => profile);
  assert.deepEqual((await importProfiles(file('uid.ndjson', lines(byUid)))).counts, [
    ...[0, 0, PROFILES, 0],
  ]);
  const byId = [
    ...new DemoProfiles({
      ...{ seed: 1, identities: 200, now: Date.parse(date), profiles: PROFILES },
    }).profiles(),
  ];
  assert.deepEqual((await importProfiles(file('id.ndjson', lines(byId)))).counts, [
    ...[0, 0, PROFILES, 0],
  ]);
  assert.deepEqual(await everything(call), expected);
  assert.equal(await target.cardea.store.read.lastSequence(), sequence);
});

test('a change is merged into the profile, and the import is told in the trail', async () => {
  const { uid } = shown.find(({ attributes }) => attributes.sponsor) as Wire;
  const change = { uid, attributes: { phone: '+1 555', skills: ['Java', 'Payroll'] } };
  const report = await importProfiles(file('change.ndjson', lines([change, change])));
  assert.deepEqual(report.counts, [0, 1, 1, 0]);
  const { body } = await call('GET', `/api/profiles/${uid}`);
  const before = shown.find((one) => one['uid'] === uid) as Wire;
  assert.deepEqual(body.profile.attributes, {
    ...before['attributes'],
    ...{ phone: '+1 555', skills: 'Java, Payroll' },
  });
  assert.ok(body.profile.updated_at > before['updated_at']);
  assert.equal(body.profile.created_at, before['created_at']);
  const { cardea, tenantId } = target;
  const changes = await cardea.store.read.changesAfter(0, 1000);
  const told = changes.flatMap(({ document, tenantId: of }) =>
    of === tenantId && document !== null ? [JSON.parse(String(Buffer.from(document.root)))] : [],
  );
  const events = told.filter(({ action }) => action === 'ImportProfiles');
  assert.deepEqual(
    events.map(({ attributes }) => [attributes.created, attributes.updated]),
    [
      [PROFILES, 0],
      [0, 1],
    ],
  );
});

const contractor = { profile_type_id: 'contractor', status: 'Active' };
const held = { end_date: '01/31/2026', first_name: 'Ines' };
const FAULTS: readonly (readonly [told: RegExp, line: unknown])[] = [
  [/id and uid are missing/, { ...contractor, name: 'x' }],
  [/id must be a UUID/, { ...contractor, name: 'x', id: '17' }],
  [/created_at must be an ISO 8601/, { ...contractor, name: 'x', uid: 'f1', created_at: 'now' }],
  [/profile_type_id "robot" was not found/, { ...contractor, profile_type_id: 'robot', uid: 'f2' }],
  [
    /badge is not the uid of an attribute/,
    { ...contractor, name: 'x', uid: 'f3', attributes: { ...held, badge: '1' } },
  ],
  [/end_date can't be blank/, { ...contractor, name: 'x', uid: 'f4' }],
  [
    /end_date must be a date in the form mm\/dd\/yyyy/,
    { ...contractor, name: 'x', uid: 'f5', attributes: { end_date: '2026-01-31' } },
  ],
  [
    /sponsor "Nobody \(nobody@x\)" was not found/,
    { ...contractor, uid: 'f6', attributes: { ...held, sponsor: 'Nobody (nobody@x)' } },
  ],
  [
    /organization "No Such Vendor" was not found/,
    { ...contractor, uid: 'f7', attributes: { ...held, organization: 'No Such Vendor' } },
  ],
  [
    /organization "Twice Inc" was not found/,
    { ...contractor, uid: 'f8', attributes: { ...held, organization: 'Twice Inc' } },
  ],
  [/status is not included in the list/, { ...contractor, status: 'Gone', uid: 'f9', name: 'x' }],
  [/profile must be an object/, { profile: 7 }],
  [/not a JSON object/, []],
];

test('bad lines are told with their number and reason, and the others are kept', async () => {
  const vendors = [1, 2].map((n) => ({
    ...{ profile_type_id: 'vendor', status: 'Active', uid: `twice-${n}`, name: 'Twice Inc' },
    attributes: { organization_name: 'Twice Inc' },
  }));
  await importProfiles(file('vendors.ndjson', lines(vendors)));
  const good = { ...contractor, uid: 'good', attributes: held };
  const path = file('bad.ndjson', lines([...FAULTS.map(([, line]) => line), good]));
  const report = await importProfiles(path);
  assert.deepEqual(report.counts, [1, 0, 0, FAULTS.length]);
  assert.equal(report.code, 1);
  for (const [i, [told]] of FAULTS.entries()) {
    assert.equal(report.faults[i].line, i + 1);
    assert.match(report.faults[i].reason, told);
  }
  assert.equal((await call('GET', '/api/profiles/good')).body.profile.name, 'Ines');
  assert.deepEqual((await importProfiles('--strict', path)).counts, [0, 0, 0, 1]);
});

test('what a line points to may come later in the file', async () => {
  const vendor = {
    ...{ profile_type_id: 'vendor', status: 'Active', uid: 'late', name: 'Late & Sons' },
    attributes: { organization_name: 'Late & Sons' },
  };
  const worker = {
    ...{ ...contractor, uid: 'early' },
    attributes: { ...held, organization: 'Late & Sons' },
  };
  const report = await importProfiles(file('order.ndjson', lines([worker, vendor])));
  assert.deepEqual(report.counts, [2, 0, 0, 0]);
});

test('lines about one profile follow one another, by whichever key, and refused ones end', async () => {
  const { body } = await call('GET', '/api/profiles/early');
  const { id } = body.profile;
  const expected = [
    { id, attributes: { phone: '1' } },
    { uid: 'early', attributes: { city: 'London' } },
    { uid: 'early', attributes: { city: 'Atlantis' } },
    { id, attributes: { city: 'Nowhere' } },
    { uid: 'never', status: 'Gone' },
    { uid: 'never', status: 'Gone' },
    { uid: 'early', attributes: { job_title: 'Welder' } },
  ];
  const report = await importProfiles(file('order2.ndjson', lines(expected)));
  assert.deepEqual(report.counts, [0, 3, 0, 4]);
  const { attributes } = (await call('GET', '/api/profiles/early')).body.profile;
  assert.deepEqual(
    [attributes.phone, attributes.city, attributes.job_title],
    ['1', 'London', 'Welder'],
  );
});

test('a duplicate is told by the one that is there', async () => {
  const twin = (uid: string) => ({
    ...{ uid, profile_type_id: 'temp', status: 'Active', name: uid },
    attributes: { last_name: 'Twin', department: 'Finance' },
  });
  const namings = { profile_type_dup_attributes_attributes: [{ ne_attribute_id: 'last_name' }] };
  const profile_type = { uid: 'temp', name: 'Temp', ...namings };
  assert.equal((await call('POST', '/api/profile_type', { profile_type })).status, 200);
  const report = await importProfiles(file('twins.ndjson', lines([twin('t1'), twin('t2')])));
  assert.deepEqual(report.counts, [1, 0, 0, 1]);
  assert.match(report.faults[0].reason, /^is a duplicate of [0-9a-f-]{36}$/);
});

test('the files hold one kind of thing', async () => {
  for (const other of [['--auth-users'], ['--index', 'roles']]) {
    const line = commandLine(['import', '--profiles', ...other, file('none.json', '[]')]);
    assert.equal(await line.ended, 2);
    assert.match(line.err(), /cannot be combined/);
  }
});
