// A service with records of profile management, for tests of the routes of their kinds.
import assert from 'node:assert/strict';
import { type Answer, type Call, withApiKey } from './api-key.ts';
import { plantProfile } from './profiles.ts';
import { type RunningService, startService } from './service.ts';

/** Profile management of a running service, with records that cases point to. */
export interface ResourceWorld {
  readonly service: RunningService;
  readonly call: Call;
  /** Ids of records that cases point to, by a name. */
  readonly ids: Readonly<Record<string, string>>;
  /** Replaces `$name` by the id of that name, at any depth. */
  withIds(value: unknown): unknown;
  /** Makes a record. @returns it */
  make(path: string, wrapper: string, fields: object): Promise<Answer['body']>;
  /** The audit trail, in the order written, members of `attributes` beside the rest. */
  events(): Promise<Record<string, unknown>[]>;
}

/** An id that no record has. */
export const UNKNOWN_ID = 'c0ffee00-0000-4000-8000-00000000dead';

let members = 0;

/** The fields of a user that was not made before. */
export function member(fields: object = {}) {
  members += 1;
  const login = `someone${members}`;
  return { name: 'Some One', email: `${login}@acme.test`, type: 'NeprofileUser', login, ...fields };
}

/** Starts a service with the records. */
export async function startResourceWorld(): Promise<ResourceWorld> {
  const service = await startService();
  const { call } = await withApiKey(service);
  const make = async (path: string, wrapper: string, fields: object): Promise<Answer['body']> => {
    const { status, body } = await call('POST', `/api/${path}`, { [wrapper]: fields });
    assert.ok(status === 200 || status === 201, JSON.stringify(body));
    return body[wrapper];
  };
  const typeId = (await make('profile_type', 'profile_type', { name: 'Staff', uid: 'staff' })).id;
  const attribute = { label: 'City', data_type: 'drop-down', uid: 'city' };
  const ids: Record<string, string> = {
    user: (await make('user', 'user', member({ login: 'taken' }))).id,
    other: (await make('user', 'user', member({ uid: 'other-user' }))).id,
    role: (await make('role', 'role', { name: 'Sponsors', uid: 'sponsors' })).id,
    type: typeId,
    attribute: (await make('ne_attributes', 'ne_attribute', attribute)).id,
    profile: await plantProfile(service, typeId),
  };
  const withIds = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value).replace(/"\$(\w+)"/g, (_, name: string) => JSON.stringify(ids[name])),
    );
  return { service, call, ids, withIds, make, events: () => eventsOf(service) };
}

async function eventsOf(service: RunningService): Promise<Record<string, unknown>[]> {
  const changes = await service.cardea.store.read.changesAfter(0, 100_000);
  return changes
    .filter(({ index, tenantId }) => index === 'events' && tenantId === service.tenantId)
    .map(({ document }) => {
      const event = JSON.parse(new TextDecoder().decode(document?.root));
      const attributes = Object.entries(event.attributes as object);
      return {
        ...event,
        ...Object.fromEntries(attributes.map(([k, v]) => [`attributes.${k}`, v])),
      };
    });
}
