// Auth users: read one, change its capabilities. A change is one serialised transaction, which
// checks the caller's level, the user, the precondition, the patch and the last-administrator rule
// on current state.
// Invariant: a rejected patch changes nothing; a patch without effect writes nothing.
import { randomBytes } from 'node:crypto';
import { authorize, type Operation } from '../../auth/access.ts';
import type { Caller } from '../../auth/caller.ts';
import { ORG_ADMIN } from '../../auth/capabilities.ts';
import { type Clock, systemClock } from '../../auth/clock.ts';
import type { RandomBytes } from '../../auth/secrets.ts';
import { ServiceError } from '../../errors.ts';
import { readPatch, refuseOtherMembers } from '../../json/json-patch.ts';
import { actorOf, type ChangeContext, recordAuditEvents } from '../audit/audit-event.ts';
import { AUTH_USER_MEMBERS } from '../ports/auth-user.ts';
import type { AuthUser, Store, WritableRecords } from '../ports/store.ts';
import { levelEvents } from './auth-user-event.ts';
import {
  type CapabilityRules,
  checkCapabilities,
  illegal,
  PATCHABLE,
  patchCapabilities,
} from './capability-patch.ts';
import { entityTag, ifMatchAllows } from './entity-tag.ts';

/** A user with the entity tag of its representation. */
export interface TaggedAuthUser {
  readonly user: AuthUser;
  /** Strong entity tag, quotes included. */
  readonly etag: string;
}

/** Settings of the auth users; all have defaults. */
export interface AuthUserOptions {
  readonly clock?: Clock;
  readonly random?: RandomBytes;
  /** Rejects capability pairs that the vendor's guides forbid together. Default off. */
  readonly refuseExclusivePairs?: boolean;
}

/** The members of an auth user in wire order, and no others (contract/auth-users.md section 2). */
export function representation(user: AuthUser): AuthUser {
  return Object.fromEntries(WIRE_ORDER.map((name) => [name, user[name]])) as unknown as AuthUser;
}

const WIRE_ORDER = ['tenant', ...Object.keys(AUTH_USER_MEMBERS)] as readonly (keyof AuthUser)[];

/** The auth user use cases (contract/auth-users.md section 4). */
export class AuthUsers {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #random: RandomBytes;
  readonly #refuseExclusivePairs: boolean;

  constructor(store: Store, options: AuthUserOptions = {}) {
    this.#store = store;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? randomBytes;
    this.#refuseExclusivePairs = options.refuseExclusivePairs ?? false;
  }

  /** @throws ServiceError `forbidden`, `not_found` */
  async get(caller: Caller, id: string): Promise<TaggedAuthUser> {
    authorize(caller, caller.identityId === id ? 'auth-user:read-own' : 'auth-user:read');
    const user = await this.#store.read.authUser(caller.tenantId, id);
    if (user === null) throw noSuchUser();
    return tagged(user);
  }

  /**
   * Applies a JSON Patch to the capabilities.
   * @param body the parsed body, not validated
   * @param ifMatch the header If-Match, if sent
   * @throws ServiceError `forbidden`, `request_invalid`, `not_found`, `illegal_update`,
   * `precondition_failed`, `illegal_value`, checked in this order
   */
  async patch(
    caller: Caller,
    id: string,
    body: unknown,
    ifMatch: string | undefined,
  ): Promise<TaggedAuthUser> {
    authorize(caller, 'auth-user:patch');
    const operations = readPatch(body);
    const patched = async (records: WritableRecords): Promise<TaggedAuthUser> => {
      const [user] = await Promise.all([
        records.authUser(caller.tenantId, id),
        authorizeAsStored(records, caller, 'auth-user:patch'),
      ]);
      if (user === null) throw noSuchUser();
      refuseOtherMembers(operations, PATCHABLE);
      if (ifMatch !== undefined && !ifMatchAllows(ifMatch, tagged(user).etag)) {
        throw new ServiceError(
          'precondition_failed',
          'The auth user has changed since it was read.',
        );
      }
      const capabilities = patchCapabilities(user.capabilities, operations);
      const change = { now: this.#clock.now(), random: this.#random, actor: actorOf(caller) };
      return tagged(
        await setLevels(records, caller.tenantId, user, capabilities, {
          ...change,
          refuseExclusivePairs: this.#refuseExclusivePairs,
        }),
      );
    };
    return this.#store.write(patched);
  }
}

/**
 * Replaces the capabilities of a user in the caller's transaction, with its audit events. Does not
 * check rights. Equal capabilities change nothing.
 * @returns the user as it is now
 * @throws ServiceError `illegal_value`, also when no administrator would remain
 */
export async function setLevels(
  records: WritableRecords,
  tenantId: string,
  user: AuthUser,
  capabilities: readonly string[],
  change: ChangeContext & CapabilityRules,
): Promise<AuthUser> {
  checkCapabilities(user.capabilities, capabilities, change);
  if (sameList(user.capabilities, capabilities)) return user;
  await refuseLastAdmin(records, tenantId, user, capabilities);
  const events = levelEvents(user, { ...user, capabilities }, change, {
    ...{ act: 'AUTH_USER_PATCH', target: user.uid },
    attributes: {
      targetId: user.id,
      capabilitiesBefore: user.capabilities,
      capabilitiesAfter: capabilities,
    },
  });
  await Promise.all([
    records.setCapabilities(tenantId, user.id, capabilities, user.capabilities),
    recordAuditEvents(records, tenantId, events),
  ]);
  return { ...user, capabilities };
}

/** Checks the caller's current levels, which may have changed while the transaction was waiting. */
export async function authorizeAsStored(
  records: WritableRecords,
  caller: Caller,
  operation: Operation,
): Promise<void> {
  if (caller.identityId === null) return;
  const actor = await records.authUser(caller.tenantId, caller.identityId);
  if (actor !== null) authorize({ ...caller, capabilities: actor.capabilities }, operation);
}

/** At least one user must remain who can grant levels. */
async function refuseLastAdmin(
  records: WritableRecords,
  tenantId: string,
  user: AuthUser,
  capabilities: readonly string[],
): Promise<void> {
  if (!user.capabilities.includes(ORG_ADMIN) || capabilities.includes(ORG_ADMIN)) return;
  if ((await records.countHolders(tenantId, ORG_ADMIN, user.id)) === 0) {
    throw illegal(
      `the tenant must keep at least one user with ${ORG_ADMIN} whom no view restricts`,
    );
  }
}

/**
 * Adds the entity tag. It does not cover the two times of sign-in, which each token request changes:
 * otherwise a user whose scripts request tokens could hardly be changed with `If-Match`.
 */
function tagged(user: AuthUser): TaggedAuthUser {
  const body = representation(user);
  const { lastLoginTimestamp, currentLoginTimestamp, ...edited } = body;
  return { user: body, etag: entityTag(edited) };
}

function sameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((item, i) => item === other[i]);
}

/** The error for an id that no auth user of the tenant has. */
export function noSuchUser(): ServiceError {
  return new ServiceError('not_found', 'There is no such auth user.');
}
