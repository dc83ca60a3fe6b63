// suite: slow
// Bodies no client means, at random, to every path of profile management that takes one: the answer is a documented one,
// never a 5xx, and what a refusal touched is as it was.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { type Call, withApiKey } from '../support/api-key.ts';
import { caseCount } from '../support/case-count.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
let call: Call;

before(async () => {
  service = await startService();
  ({ call } = await withApiKey(service));
  const user = { name: 'a', email: 'a', type: 'NeprofileUser', login: 'a', uid: 'there' };
  await call('POST', '/api/user', { user });
  await call('POST', '/api/role', { role: { name: 'a', uid: 'there' } });
  await call('POST', '/api/profile_type', { profile_type: { name: 'a', uid: 'there' } });
  const ne_attribute = { label: 'a', data_type: 'text field', uid: 'there' };
  await call('POST', '/api/ne_attributes', { ne_attribute });
});
after(() => service.stop());

const WRAPPERS: readonly [method: string, path: string, wrapper: string][] = [
  ['POST', 'profile_type', 'profile_type'],
  ['PATCH', 'profile_types/there', 'profile_type'],
  ['POST', 'ne_attributes', 'ne_attribute'],
  ['PATCH', 'ne_attributes/there', 'ne_attribute'],
  ['POST', 'ne_attribute_option', 'ne_attribute_option'],
  ['POST', 'user', 'user'],
  ['PATCH', 'users/there', 'user'],
  ['POST', 'users', 'users'],
  ['PATCH', 'users', 'users'],
  ['POST', 'role', 'role'],
  ['PATCH', 'roles/there', 'role'],
  ['POST', 'user_roles', 'user_roles'],
  ['POST', 'user_manager', 'user_manager'],
  ['POST', 'profile', 'profile'],
  ['POST', 'advanced_search', 'advanced_search'],
];

const name = fc.constantFrom(
  ...['id', 'uid', 'name', 'label', 'type', 'data_type', 'status', 'login', 'email', 'order'],
  ...['archived', 'groups', 'permitted_role_ids', 'user_id', 'role_id', 'manager_id', 'option'],
  ...[
    'ne_attribute_id',
    'locale',
    'validations_attributes',
    '__proto__',
    'constructor',
    'toString',
  ],
  ...['profile_type_namings_attributes', 'profile_type_dup_attributes_attributes', 'profile_id'],
  ...['profile_type_id', 'attributes', 'condition_rules_attributes', 'value', 'validation_method'],
);
const value = fc.oneof(
  fc.constantFrom('there', 'NeprofileUser', 'date', '', ' ', 'true', 'ß İ', '\u{1F600}', "'; --"),
  fc.constantFrom(null, true, false, 0, 1, -1, 1e300, [], {}, ['there'], [null], [{}], [['x']]),
  // What cannot be converted to text.
  fc.constantFrom({ toString: 1 }, [{ validation_method: 'days', value: { toString: 1 } }]),
  fc.constantFrom([{ ne_attribute_id: 'there' }], [{ id: 'x', _destroy: true }], { order: 1 }),
  fc.string({ maxLength: 300 }).map((text) => text.replaceAll('\0', '')),
);
const record = fc.oneof(fc.dictionary(name, value, { maxKeys: 8 }), value);
const body = fc.oneof(record, fc.array(record, { maxLength: 4 }));

test('whatever is sent, the answer is documented and no 5xx', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...WRAPPERS), body, async ([method, path, wrapper], sent) => {
      const before = (await call('GET', '/api/roles?metadata=true&limit=1000')).body;
      const { status, body: answer } = await call(method, `/api/${path}`, { [wrapper]: sent });
      assert.ok([200, 201, 400].includes(status), JSON.stringify(answer));
      if (status !== 400) return;
      assert.equal(typeof answer.error, 'string');
      for (const sentences of Object.values(answer.errors ?? {}))
        assert.ok(Array.isArray(sentences));
      assert.deepEqual((await call('GET', '/api/roles?metadata=true&limit=1000')).body, before);
    }),
    { numRuns: caseCount(80, 300) },
  );
});
