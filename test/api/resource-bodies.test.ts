// What docs/openapi.yaml says of the records of profile management is what the service takes: both follow from descriptors
// (scripts/openapi-records.ts), so each bound of a schema is tried.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openapi } from '../support/openapi.ts';
import { member, type ResourceWorld, startResourceWorld } from '../support/resource-world.ts';

let world: ResourceWorld;
before(async () => {
  world = await startResourceWorld();
});
after(() => world.service.stop());

interface MemberSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly (string | null)[];
  readonly maxLength?: number;
  readonly items?: object;
}

/** What the service takes and drops, whatever it is. */
const DROPPED = ['id', 'password'];

/** The path that makes a record, its wrapper, the name of its schema, and one that is taken. */
const KINDS: readonly [path: string, wrapper: string, schema: string, valid: () => object][] = [
  ['profile_type', 'profile_type', 'ProfileType', () => ({ name: 'Guests' })],
  ['ne_attributes', 'ne_attribute', 'Attribute', () => ({ label: 'Age', data_type: 'text field' })],
  [
    'ne_attribute_option',
    'ne_attribute_option',
    'AttributeOption',
    () => ({ ne_attribute_id: '$attribute', option: 'Oslo' }),
  ],
  ['user', 'user', 'ProfileUser', () => member()],
  ['role', 'role', 'ProfileRole', () => ({ name: 'Hosts' })],
  ['user_role', 'user_role', 'UserRole', () => ({ user_id: '$user', role_id: '$role' })],
  [
    'role_profile',
    'role_profile',
    'RoleProfile',
    () => ({ role_id: '$role', profile_id: '$profile' }),
  ],
  [
    'user_profile',
    'user_profile',
    'UserProfile',
    () => ({ user_id: '$user', profile_id: '$profile', relationship_type: 'owner' }),
  ],
  [
    'user_manager',
    'user_manager',
    'UserManager',
    () => ({ user_id: '$user', manager_id: '$other' }),
  ],
];

for (const [path, wrapper, schema, valid] of KINDS) {
  test(`a ${wrapper} that the document does not allow is refused, member by member`, async () => {
    const refusals: string[] = [];
    for (const [name, sent] of Object.entries(membersOf(`${schema}Write`))) {
      for (const value of DROPPED.includes(name) ? [] : wrongValues(sent)) {
        const record = world.withIds({ ...valid(), [name]: value });
        const { status, body } = await world.call('POST', `/api/${path}`, { [wrapper]: record });
        const at = `${name}: ${JSON.stringify(value).slice(0, 40)}: ${JSON.stringify(body)}`;
        assert.equal(status, 400, at);
        assert.ok(Object.hasOwn(body.errors, name), at);
        refusals.push(name);
      }
    }
    assert.ok(refusals.length >= 3, refusals.join());
  });

  test(`a ${wrapper} with the longest texts that the document allows is taken`, async () => {
    const texts = Object.entries(membersOf(`${schema}Write`)).flatMap(
      ([name, { maxLength = 0 }]) => (maxLength > 0 ? [[name, 'x'.repeat(maxLength)]] : []),
    );
    const record = world.withIds({ ...valid(), ...Object.fromEntries(texts) });
    const { status, body } = await world.call('POST', `/api/${path}`, { [wrapper]: record });
    assert.ok(status === 200 || status === 201, JSON.stringify(body));
    assert.deepEqual(Object.keys(body[wrapper]).sort(), Object.keys(membersOf(schema)).sort());
  });
}

function membersOf(schema: string): Readonly<Record<string, MemberSchema>> {
  const { properties } = schemaAt(`#/components/schemas/${schema}`) as { properties: object };
  return properties as Readonly<Record<string, MemberSchema>>;
}

function schemaAt(pointer: string): object {
  const names = pointer.slice(2).split('/');
  return names.reduce((at, name) => at[name] as typeof openapi, openapi);
}

/** Values that a schema of a member does not allow. */
function wrongValues(schema: MemberSchema): readonly unknown[] {
  if (schema.$ref !== undefined) return wrongValues(schemaAt(schema.$ref));
  if (schema.enum !== undefined) return ['nonsense', 7];
  const types = [schema.type].flat();
  if (types.includes('array')) return ['nonsense', [7]];
  if (types.includes('boolean')) return ['nonsense'];
  const { maxLength } = schema;
  return maxLength === undefined ? [7] : [7, 'x'.repeat(maxLength + 1)];
}
