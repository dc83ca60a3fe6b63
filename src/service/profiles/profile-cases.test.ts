// Profiles over the real store: values are read as they were written, and random changes give the
// same result as a naive merge.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { callerOf, type TestTenant, testTenant } from '../../../test/support/tenant.ts';
import type { Caller } from '../../auth/caller.ts';
import { DATE_FORMATS } from '../ports/resources.ts';
import { ProfileCases } from './profile-cases.ts';
import { ResourceCases } from './resources/resource-cases.ts';
import { dateText } from './values/date-format.ts';
import { foldText } from './values/fold-text.ts';

let setting: TestTenant;
let caller: Caller;
let profiles: ProfileCases;
let resources: ResourceCases;
let typeId: string;

before(async () => {
  setting = await testTenant();
  caller = callerOf(setting.tenant, setting.admin);
  const { clock } = setting;
  profiles = new ProfileCases(setting.store, { clock });
  resources = new ResourceCases(setting.store, { clock });
  const type = { profile_type: { name: 'Contractor' } };
  typeId = String((await resources.create(caller, 'profileType', type))['id']);
  for (const format of DATE_FORMATS)
    await attribute(`on ${format}`, 'date', { date_format: format });
  for (const uid of ['one', 'two', 'three']) await attribute(uid, 'text area');
});

function attribute(uid: string, data_type: string, more: object = {}) {
  const ne_attribute = { uid, label: uid, data_type, ...more };
  return resources.create(caller, 'attribute', { ne_attribute });
}

const good = (attributes: object) => ({
  profile: { name: 'x', profile_type_id: typeId, status: 'Active', attributes },
});

const valuesOf = async (attributes: object) =>
  (await profiles.create(caller, good(attributes)))['attributes'];

const anyText = fc.string({ unit: 'grapheme', maxLength: 60 });

test('reads a text as it was written and omits a blank one', async () => {
  await fc.assert(
    fc.asyncProperty(anyText, async (text) => {
      const expected = text.trim() === '' ? {} : { one: text };
      assert.deepEqual(await valuesOf({ one: text }), expected);
    }),
    { numRuns: 100 },
  );
});

test('reads a date as it was written, in any format', async () => {
  const day = fc.integer({ min: -719_162, max: 2_932_896 });
  await fc.assert(
    fc.asyncProperty(day, fc.constantFrom(...DATE_FORMATS), async (when, format) => {
      const written = { [`on ${format}`]: dateText(when, format) };
      assert.deepEqual(await valuesOf(written), written);
    }),
    { numRuns: 60 },
  );
});

test('shows a date in the current format of its attribute', async () => {
  const created = await attribute('moved', 'date', { date_format: 'dd/mm/yyyy' });
  const { id } = await profiles.create(caller, good({ moved: '03/02/2026' }));
  const change = { ne_attribute: { date_format: 'yyyy-mm-dd' } };
  await resources.update(caller, 'attribute', String(created['id']), change);
  const { attributes } = await profiles.get(caller, String(id));
  assert.deepEqual(attributes, { moved: '2026-02-03' });
});

test('reads labels of options as they were chosen, with any characters', async () => {
  const labels = fc.uniqueArray(
    // Values are joined by commas, so labels of nothing else cannot be told from the joints.
    anyText.filter((label) => /[^\s,]/.test(label)),
    {
      selector: foldText,
      minLength: 1,
      maxLength: 8,
    },
  );
  let attributeCount = 0;
  await fc.assert(
    fc.asyncProperty(labels, fc.infiniteStream(fc.boolean()), async (all, chosen) => {
      const uid = `tags ${attributeCount++}`;
      await attribute(uid, 'tags');
      const options = all.map((option) => ({ ne_attribute_id: uid, option }));
      await resources.createMany(caller, 'option', { ne_attribute_options: options });
      const picked = all.filter(() => chosen.next().value);
      const expected = picked.length === 0 ? {} : { [uid]: picked.join(', ') };
      assert.deepEqual(await valuesOf({ [uid]: picked }), expected);
      const inCapitals = picked.filter(
        (label) => foldText(label) === foldText(label.toUpperCase()),
      );
      const again = inCapitals.length === 0 ? {} : { [uid]: inCapitals.join(', ') };
      assert.deepEqual(
        await valuesOf({ [uid]: inCapitals.map((l) => ` ${l.toUpperCase()} `) }),
        again,
      );
    }),
    { numRuns: 40 },
  );
});

test('shows the profiles and users that values refer to by name, in the order written', async () => {
  const several = { allow_multiple_selections: true };
  await attribute('projects', 'profile search', several);
  await attribute('owners', 'owner search', several);
  const people = await profiles.createMany(caller, {
    profiles: ['Ames, B', 'Cole', 'Drew'].map((name) => ({ ...good({}).profile, name })),
  });
  const users = await resources.createMany(caller, 'user', {
    users: ['Ada', 'Bea'].map((name) => ({
      ...{ name, email: `${name}@x.test`, login: name, type: 'NeprofileUser' },
    })),
  });
  const pick = (of: readonly Readonly<Record<string, unknown>>[]) => fc.shuffledSubarray([...of]);
  const keyed = fc.constantFrom('id', 'uid');
  const joined = fc.constantFrom(',', ', ', ' ,, ');
  await fc.assert(
    fc.asyncProperty(pick(people), pick(users), keyed, joined, async (some, owners, key, comma) => {
      const names = some.map(({ name }) => String(name)).join(', ');
      const shown = owners.map(({ name, email }) => `${name} (${email})`).join(', ');
      const read = await valuesOf({
        projects: some.map((one) => one[key]),
        owners: owners.map((one) => one[key]).join(comma),
      });
      assert.deepEqual(read, {
        ...(names === '' ? {} : { projects: names }),
        ...(shown === '' ? {} : { owners: shown }),
      });
    }),
    { numRuns: 40 },
  );
});

test('random changes give the same profile as a naive merge, and one event each', async () => {
  const step = fc.record(
    {
      status: fc.constantFrom('Active', 'Inactive', 'On Leave', 'Terminated'),
      archived: fc.boolean(),
      id_proofing_status: fc.constantFrom('pass', 'fail', null),
      attributes: fc.dictionary(
        fc.constantFrom('one', 'two', 'three'),
        fc.constantFrom('a', 'b', '', null),
      ),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
      const created = await profiles.create(caller, good({ one: 'a' }));
      const naive: Record<string, unknown> = { ...created };
      for (const change of steps) {
        setting.clock.pass(1);
        const before = JSON.stringify(naive);
        const { attributes = {}, ...members } = change;
        const values = { ...(naive['attributes'] as object), ...attributes };
        const left = Object.entries(values)
          .filter(([, value]) => value)
          .sort();
        Object.assign(naive, members, { attributes: Object.fromEntries(left) });
        const changed = JSON.stringify(naive) !== before;
        if (changed) naive['updated_at'] = new Date(setting.clock.now()).toISOString();
        const sequence = await setting.store.read.lastSequence();
        const sent = Object.keys(change).length === 0 ? { colour: 'blue' } : change;
        const read = await profiles.update(caller, String(created['id']), { profile: sent });
        assert.deepEqual(read, naive);
        const events = (await setting.store.read.lastSequence()) - sequence;
        assert.equal(events, changed ? 1 : 0);
      }
    }),
    { numRuns: 40 },
  );
});
