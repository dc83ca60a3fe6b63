// Programs of profile management (NERM).
import assert from 'node:assert/strict';
import type { Call, Program } from './conversation.ts';

const bearer = { authorization: 'Bearer {apiKey}', accept: 'application/json' };
const key = { authorization: 'Token token={apiKey}', 'content-type': 'application/json' };

/** All records of a collection, with the total that each page names. */
const collected = (name: string, query = ''): Call => ({
  does: `collects all ${name.replaceAll('_', ' ')} in pages of 100, with metadata`,
  request: `GET /api/${name}?${query}limit=100&offset={offset}&metadata=true`,
  headers: bearer,
  pages: { limit: 100, key: name },
  members: ['id'],
});

const totalled = ({ body }: { body: { _metadata: { total: unknown } } }): void => {
  assert.ok(Number.isInteger(body._metadata.total));
};

/** Nothing: an empty list, or the 400 that some services answer instead. */
const emptyOrError = (does: string, name: string, query = ''): Call => ({
  does: `${does}: takes an empty list, or an error that says so`,
  request: `GET /api/${name}?${query}limit=100&offset=0&metadata=true`,
  headers: bearer,
  status: [200, 400],
  holds({ status, body }) {
    if (status === 400) assert.match(body.error, /^no [a-z ]+ found$/);
    else assert.deepEqual([body[name], body._metadata.total], [[], 0]);
  },
});

/** Programs. */
export const PROFILE_MANAGEMENT: readonly Program[] = [
  {
    name: 'Visual Studio Code extension for NERM',
    kind: 'editor',
    readIn: 'yannick-beot-sp/vscode-sailpoint-nerm',
    pointedBy: 'URL ending in `/api/`, with `https://`',
    calls: [
      { does: 'tries its key', request: 'GET /api/users?limit=1', headers: bearer },
      {
        does: 'tells a wrong key',
        request: 'GET /api/users?limit=1',
        headers: { authorization: 'Bearer ne-00000000000000000000000000000000' },
        status: 401,
      },
      collected('roles', 'order=name&'),
      collected('users'),
      collected('profile_types', 'order=name&'),
      collected('ne_attributes'),
      collected('ne_attribute_options'),
      collected('user_roles'),
      {
        ...collected('profiles'),
        members: ['id', 'name', 'uid', 'status', 'profile_type_id', 'attributes'],
        keep: { profile: '0.id', profileName: '0.name' },
      },
      {
        does: 'changes a profile',
        request: 'PATCH /api/profiles/{profile}',
        headers: bearer,
        json: { profile: { id: '{profile}', name: '{profileName}' } },
        members: ['profile.id'],
      },
    ],
  },
  {
    name: "The vendor's command line, nerm",
    kind: 'command line',
    readIn: 'sailpoint-oss (its clients as recorded)',
    pointedBy: 'tenant and domain, `https://` only',
    calls: [
      {
        does: 'counts profiles by a status that it repeats',
        request: 'GET /api/profiles?metadata=true&status=Active&limit=100&offset=0&offset=0',
        headers: bearer,
        holds: totalled,
      },
      {
        does: 'walks profiles by the last id, which it repeats',
        request: 'GET /api/profiles?metadata=true&limit=25&after_id=&after_id=',
        headers: bearer,
        holds: ({ body }) => assert.equal(typeof body._metadata.after_id, 'string'),
      },
      {
        does: 'lists profile types',
        request: 'GET /api/profile_types?limit=100&metadata=true',
        headers: bearer,
        holds: totalled,
      },
      {
        does: 'saves a search',
        request: 'POST /api/advanced_search',
        headers: bearer,
        json: {
          advanced_search: {
            label: 'Active people',
            condition_rules_attributes: [
              { type: 'ProfileStatusRule', comparison_operator: '==', value: 'Active' },
            ],
          },
        },
        members: ['advanced_search.id'],
      },
      {
        does: 'lists saved searches',
        request: 'GET /api/advanced_search?limit=1&metadata=true&offset=0',
        headers: bearer,
        holds: totalled,
        keep: { search: 'advanced_search.0.id' },
      },
      {
        does: 'runs one of them',
        request: 'GET /api/advanced_search/{search}/run?limit=100&offset=0',
        headers: bearer,
      },
    ],
  },
  {
    name: 'Command line for NERM, in Go',
    kind: 'command line',
    readIn: 'fernando-delosrios-sp/nerm-cli',
    pointedBy: 'URL in its profile; `/api` is added',
    calls: [
      collected('profiles', 'order=name&'),
      {
        ...collected('profiles', 'exclude_attributes=true&updated_after=2020-01-01&'),
        does: 'collects those changed since a date, without attributes',
      },
      emptyOrError('finds nobody of a name', 'profiles', 'name=Nobody Here&'),
      {
        ...collected('users', 'type=NeprofileUser&user_status=Active&'),
        least: 1,
        members: ['id', 'name', 'login', 'email', 'type', 'status'],
        keep: { user: '0.id' },
      },
      { does: 'reads a user', request: 'GET /api/users/{user}', headers: bearer },
      collected('user_roles', 'user_id={user}&'),
      { ...collected('user_managers'), least: 1, members: ['id', 'user_id', 'manager_id'] },
      emptyOrError('finds no profiles of users', 'user_profiles'),
      emptyOrError('finds no profiles of roles', 'role_profiles'),
      { ...collected('roles', 'type=NeprofileRole&'), least: 1 },
      {
        does: 'reads the catalogue of profile types',
        request: 'GET /api/profile_types?limit=100&metadata=true&offset=0',
        headers: bearer,
        holds: totalled,
        keep: { type: 'profile_types.0.id' },
      },
      {
        does: 'runs a search of its own',
        request: 'POST /api/advanced_search/run',
        headers: bearer,
        json: {
          advanced_search: {
            condition_rules_attributes: [
              { type: 'ProfileTypeRule', comparison_operator: '==', value: '{type}' },
            ],
          },
        },
        holds({ body }, { type }) {
          for (const { profile_type_id } of body.profiles) assert.equal(profile_type_id, type);
        },
      },
      {
        does: 'asks for sessions of workflows, and prints the error',
        request: 'GET /api/workflow_sessions?limit=100&metadata=true&offset=0',
        headers: bearer,
        lacks: 'workflow',
      },
    ],
  },
  {
    name: "Scripts of the vendor's support, in Ruby",
    kind: 'script',
    readIn: 'public copies of a support toolkit',
    pointedBy: 'host `{tenant}.nonemployee.com`; `--collection-envelope keyed`',
    calls: [
      {
        does: 'lists profile types, in an object',
        request: 'GET /api/profile_types?',
        headers: key,
        members: ['profile_types.0.id', 'profile_types.0.name'],
        keep: { type: 'profile_types.0.id' },
      },
      {
        does: 'counts the profiles of a type',
        request:
          'GET /api/profiles?profile_type_id={type}&exclude_attributes=true&limit=1&metadata=true',
        headers: key,
        holds: totalled,
      },
      {
        does: 'counts those on leave',
        request:
          'GET /api/profiles?offset=0&limit=1&profile_type_id={type}&exclude_attributes=true&metadata=true&status=On+Leave',
        headers: key,
        status: [200, 400],
        holds: ({ status, body }) => assert.ok(status === 200 || typeof body.error === 'string'),
      },
      {
        does: 'reads the profiles of a type until the service says that there are none',
        request: 'GET /api/profiles?offset={offset}&limit=25&profile_type_id={type}',
        headers: key,
        pages: { limit: 25, key: 'profiles', endsAt400: true },
        ...{ least: 1, members: ['id', 'uid', 'attributes'] },
        keep: { uid: '0.uid', profile: '0.id' },
      },
      {
        does: 'finds a profile by its uid and writes to the first that it gets',
        request: 'GET /api/profiles?uid={uid}&exclude_attributes=true',
        headers: key,
        holds({ body }, { profile }) {
          assert.deepEqual(
            body.profiles.map(({ id }: { id: string }) => id),
            [profile],
          );
        },
      },
    ],
  },
  {
    name: 'Export of profiles, in PowerShell',
    kind: 'script',
    readIn: 'public copies of an export script',
    pointedBy: 'URL in the script; `--collection-envelope keyed`',
    calls: [
      {
        does: 'lists profile types without a type of content',
        request: 'GET /api/profile_types',
        headers: { accept: 'application/json', authorization: 'Token token={apiKey}' },
        members: ['profile_types.0.id'],
        keep: { type: 'profile_types.0.id' },
      },
      {
        does: 'ends at the 400 behind the last page',
        request: 'GET /api/profiles?profile_type_id={type}&limit=100&offset={offset}',
        headers: { accept: 'application/json', authorization: 'Token token={apiKey}' },
        pages: { limit: 100, key: 'profiles', endsAt400: true },
        ...{ least: 1, members: ['status', 'name', 'uid', 'attributes'] },
      },
    ],
  },
  {
    name: 'Connector of the community for NERM',
    kind: 'connector',
    readIn: 'as the review of the field recorded it',
    pointedBy: 'base URL in its configuration',
    calls: [
      {
        does: 'reads profiles with parameters in brackets',
        request:
          'GET /api/profiles?query[limit]=3&query[offset]=0&query[order]=name&query[metadata]=true',
        headers: bearer,
        holds({ body }) {
          const names = body.profiles.map(({ name }: { name: string }) => name);
          assert.equal(names.length, 3);
          assert.deepEqual(names, [...names].sort());
          totalled({ body });
        },
        keep: { type: 'profiles.0.profile_type_id' },
      },
      {
        does: 'filters in brackets too',
        request: 'GET /api/profiles?query[profile_type_id]={type}&query[limit]=5',
        headers: bearer,
        holds({ body }, { type }) {
          assert.ok(body.profiles.length > 0);
          for (const { profile_type_id } of body.profiles) assert.equal(profile_type_id, type);
        },
      },
    ],
  },
  {
    name: 'Importer of non-employees',
    kind: 'importer',
    readIn: 'as the review of the field recorded it',
    pointedBy: 'URL in its settings; `/api` is added',
    calls: [
      {
        does: 'reads the first page with its metadata, by the time of creation',
        request: 'GET /api/profiles?limit=25&order=created_at&metadata=true',
        headers: bearer,
        members: ['profiles.24.id', '_metadata.total'],
        holds: ({ body }) => assert.match(body._metadata.next, /^\/api\/profiles\?/),
        keep: { next: '_metadata.next', lastId: 'profiles.24.id' },
      },
      {
        does: 'puts /api before the address of the next page',
        request: 'GET /api{+next}',
        headers: bearer,
        members: ['profiles.0.id', '_metadata.next'],
        holds({ body }, { lastId }) {
          assert.ok(!body.profiles.some(({ id }: { id: string }) => id === lastId));
        },
      },
      {
        does: 'reads attributes by the time of creation, which they do not have',
        request: 'GET /api/ne_attributes?limit=100&order=created_at&metadata=true',
        headers: bearer,
        members: ['ne_attributes.0.id'],
      },
    ],
  },
  {
    name: 'Portal for non-employees',
    kind: 'portal',
    readIn: 'public portal, Next.js',
    pointedBy: '`NERM_BASE_API_URL`; `--collection-envelope keyed`',
    calls: [
      {
        does: 'reads the core profile types',
        request: 'GET /api/profile_types?core=true',
        headers: bearer,
        holds: ({ body }) => assert.ok(Array.isArray(body.profile_types)),
      },
      {
        does: 'finds a profile type by its uid',
        request: 'GET /api/profile_types?uid=assignment',
        headers: bearer,
        keep: { type: 'profile_types.0.id' },
      },
      {
        does: 'reads 400 attributes with a limit in brackets',
        request: 'GET /api/ne_attributes?query[limit]=400',
        headers: bearer,
        members: ['ne_attributes.0.uid', 'ne_attributes.0.label'],
        keep: { attribute: 'ne_attributes.0.uid' },
      },
      {
        does: 'reads an attribute by its uid',
        request: 'GET /api/ne_attributes/{attribute}',
        headers: bearer,
        members: ['ne_attribute.uid', 'ne_attribute.label'],
      },
      {
        does: 'reads the profiles of a type',
        request: 'GET /api/profiles?profile_type_id={type}',
        headers: bearer,
        members: ['profiles.0.id', 'profiles.0.name'],
      },
      {
        does: 'finds the role of sponsors',
        request: 'GET /api/roles',
        headers: bearer,
        members: ['roles.0.id', 'roles.0.name'],
        keep: { role: 'roles.0.id' },
      },
      {
        does: 'reads who has it',
        request: 'GET /api/user_roles?role_id={role}',
        headers: bearer,
        holds: ({ body }) => assert.ok(Array.isArray(body.user_roles)),
      },
      {
        does: 'creates a profile',
        request: 'POST /api/profile',
        headers: bearer,
        json: {
          profile: {
            name: 'Portal Person',
            profile_type_id: '{type}',
            status: 'Active',
            id_proofing_status: 'pending',
            archived: false,
            attributes: { assignment_title: 'Porter' },
          },
        },
        members: ['profile.id'],
      },
    ],
  },
];
