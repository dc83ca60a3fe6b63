// Administration of auth users beyond capabilities: disable, enable, restrict to a view, sign out,
// delete. All but enabling and views end the user's access tokens, on each node at its next check
// (service/credentials/token-check.ts).
// Invariant: at least one enabled user of a tenant whom no view restricts has ORG_ADMIN.
// Invariant: a view ends only where somebody ends it: a restricted user is not deleted, since tokens of
// other issuers stay valid without the user, and would see everything.
import { randomBytes } from 'node:crypto';
import { authorize } from '../../auth/access.ts';
import type { Caller } from '../../auth/caller.ts';
import { ORG_ADMIN } from '../../auth/capabilities.ts';
import { type Clock, systemClock } from '../../auth/clock.ts';
import type { RandomBytes } from '../../auth/secrets.ts';
import { ServiceError } from '../../errors.ts';
import {
  type AuditValue,
  actorOf,
  type ChangeContext,
  changeAttributes,
  recordAuditEvent,
} from '../audit/audit-event.ts';
import { removeTokensOf } from '../credentials/personal-access-tokens.ts';
import type { ListedAuthUser } from '../ports/auth-user-list.ts';
import type { AuthUser, Records, Store, UserStatus, WritableRecords } from '../ports/store.ts';
import { refuseUnknownView } from '../views/view-names.ts';
import { noSuchUser, representation } from './auth-users.ts';

/** An auth user in the view of administrators. */
export interface AdministeredUser extends AuthUser {
  readonly enabled: boolean;
  /**
   * ISO 8601: access tokens issued earlier are rejected; null when the user was never signed out.
   */
  readonly tokensValidFrom: string | null;
  /** The view that all its tokens are restricted to; null: none. */
  readonly view: string | null;
}

export type UserAction = 'enable' | 'disable' | 'sign-out' | 'delete';

/** The audit event of each action. */
const AUDIT: Readonly<Record<UserAction, { readonly action: string; readonly operation: string }>> =
  {
    enable: { action: 'EnableAuthUser', operation: 'ENABLE' },
    disable: { action: 'DisableAuthUser', operation: 'DISABLE' },
    'sign-out': { action: 'SignOutAuthUser', operation: 'SIGN_OUT' },
    delete: { action: 'DeleteAuthUser', operation: 'DELETE' },
  };

/** Use cases of administrators, and signing oneself out. */
export class AuthUserAdministration {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #random: RandomBytes;

  constructor(
    store: Store,
    options: { readonly clock?: Clock; readonly random?: RandomBytes } = {},
  ) {
    this.#store = store;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? randomBytes;
  }

  /** @throws ServiceError `forbidden`, `not_found` */
  async get(caller: Caller, id: string): Promise<AdministeredUser> {
    authorize(caller, 'admin');
    return administered(this.#store.read, caller.tenantId, id);
  }

  /**
   * Disables or enables a user, or restricts it to a view.
   * @param body `{"enabled": true}`, `{"enabled": false}`, `{"view": name}` or `{"view": null}`, not
   * validated
   * @throws ServiceError `forbidden`, `request_invalid`, `not_found`, `illegal_value` for the last
   * administrator, and for a view that does not exist
   */
  async patch(caller: Caller, id: string, body: unknown): Promise<AdministeredUser> {
    authorize(caller, 'admin');
    const { tenantId } = caller;
    const change = readChange(body);
    if ('view' in change && id === caller.identityId) {
      const cause = 'view: another administrator must restrict you, since you could not undo it';
      throw new ServiceError('illegal_value', 'You cannot restrict yourself.', { causes: [cause] });
    }
    return this.#store.write(async (records) => {
      if ('view' in change) {
        await restrictAuthUser(records, tenantId, id, change.view, this.#change(caller));
      } else await changeAuthUser(records, tenantId, id, change.action, this.#change(caller));
      return administered(records, tenantId, id);
    });
  }

  /**
   * @throws ServiceError `forbidden`, `not_found`, `illegal_value` for the last administrator, and for
   * a user whom a view restricts
   */
  remove(caller: Caller, id: string): Promise<void> {
    authorize(caller, 'admin');
    return this.#perform(caller, id, 'delete');
  }

  /**
   * Ends all access tokens of a user.
   * @throws ServiceError `forbidden`, `not_found`
   */
  signOut(caller: Caller, id: string): Promise<void> {
    authorize(caller, 'admin');
    return this.#perform(caller, id, 'sign-out');
  }

  /** Ends all access tokens of the caller. @throws ServiceError `forbidden`, `not_found` */
  signOutSelf(caller: Caller): Promise<void> {
    authorize(caller, 'session:end-own');
    return this.#perform(caller, caller.identityId ?? '', 'sign-out');
  }

  async #perform(caller: Caller, id: string, action: UserAction): Promise<void> {
    await this.#store.write((records) =>
      changeAuthUser(records, caller.tenantId, id, action, this.#change(caller)),
    );
  }

  #change(caller: Caller): ChangeContext {
    return { now: this.#clock.now(), random: this.#random, actor: actorOf(caller) };
  }
}

/**
 * Performs an action on a user in the caller's transaction, with its audit event. Does not check
 * rights. Enabling an enabled user or disabling a disabled one changes nothing.
 * @returns the user before the action
 * @throws ServiceError `not_found`, `illegal_value` when no enabled administrator would remain, or a
 * user who is restricted to a view would be deleted
 */
export async function changeAuthUser(
  records: WritableRecords,
  tenantId: string,
  id: string,
  action: UserAction,
  change: ChangeContext,
): Promise<AuthUser> {
  const user = await records.authUser(tenantId, id);
  const status = await records.userStatus(tenantId, id);
  if (user === null || status === null) throw noSuchUser();
  if (action === (status.enabled ? 'enable' : 'disable')) return user;
  if (action === 'delete') refuseRestricted(status);
  if (action === 'disable' || action === 'delete') {
    await refuseLastAdmin(records, tenantId, user, 'disabled or deleted');
  }
  switch (action) {
    case 'enable':
      await records.setUserEnabled(tenantId, id, true);
      break;
    case 'disable':
      await records.setUserEnabled(tenantId, id, false);
      await endTokens();
      break;
    case 'sign-out':
      await endTokens();
      break;
    case 'delete':
      await removeTokensOf(records, tenantId, id, change);
      await records.deleteAuthUser(tenantId, id);
      break;
  }
  await recordChange(records, tenantId, user, action, change);
  return user;

  /**
   * Ends tokens of the current second too, since `iat` has whole seconds; new tokens get the next
   * second (token-grants.ts), so those issued since an earlier sign-out in this second have it.
   */
  function endTokens(): Promise<void> {
    const latest = Math.max(Math.floor(change.now / 1000), status?.tokensValidFrom ?? 0);
    return records.setTokensValidFrom(tenantId, id, latest + 1);
  }
}

/**
 * Restricts a user to a view in the caller's transaction, with its audit event. Does not check rights.
 * @param view its name; null: to none
 * @throws ServiceError `not_found`, `illegal_value` for a view that does not exist, or when only
 * restricted administrators would remain
 */
export async function restrictAuthUser(
  records: WritableRecords,
  tenantId: string,
  id: string,
  view: string | null,
  change: ChangeContext,
): Promise<void> {
  const user = await records.authUser(tenantId, id);
  const status = await records.userStatus(tenantId, id);
  if (user === null || status === null) throw noSuchUser();
  if (status.view === view) return;
  await refuseUnknownView(records, tenantId, view);
  if (view !== null) await refuseLastAdmin(records, tenantId, user, 'restricted to a view');
  await records.setUserView(tenantId, id, view);
  await recordAuditEvent(records, tenantId, change, {
    ...{ object: 'AUTH_USER', operation: 'MODIFY', action: 'RestrictAuthUser' },
    ...{ target: user.uid, type: 'USER_MANAGEMENT' },
    attributes: {
      targetId: user.id,
      ...changeAttributes({ view: status.view }, { view }),
    },
  });
}

async function administered(
  records: Records,
  tenantId: string,
  id: string,
): Promise<AdministeredUser> {
  const user = await records.authUser(tenantId, id);
  const status = await records.userStatus(tenantId, id);
  if (user === null || status === null) throw noSuchUser();
  return administeredForm({ user, status });
}

/** An auth user as administrators see it. */
export function administeredForm({ user, status }: ListedAuthUser): AdministeredUser {
  const { enabled, tokensValidFrom: seconds, view } = status;
  const tokensValidFrom = seconds === 0 ? null : new Date(seconds * 1000).toISOString();
  return { ...representation(user), enabled, tokensValidFrom, view };
}

/** @throws ServiceError `request_invalid` */
function readChange(
  body: unknown,
): { readonly action: 'enable' | 'disable' } | { readonly view: string | null } {
  const members = typeof body === 'object' && body !== null ? Object.entries(body) : [];
  const [[name, value] = []] = members;
  if (members.length === 1) {
    if (name === 'enabled' && typeof value === 'boolean') {
      return { action: value ? 'enable' : 'disable' };
    }
    if (name === 'view' && (value === null || typeof value === 'string')) return { view: value };
  }
  throw new ServiceError('request_invalid', 'The change cannot be read.', {
    causes: [
      'the body must be {"enabled": true}, {"enabled": false}, {"view": "name"} or {"view": null}',
    ],
  });
}

function refuseRestricted({ view }: Pick<UserStatus, 'view'>): void {
  if (view === null) return;
  const cause = `the view ${JSON.stringify(view)} would end for tokens of other issuers, which stay valid without the user: disable the user, or end the view first`;
  throw new ServiceError('illegal_value', 'A user whom a view restricts cannot be deleted.', {
    causes: [cause],
  });
}

async function refuseLastAdmin(
  records: WritableRecords,
  tenantId: string,
  user: AuthUser,
  done: 'disabled or deleted' | 'restricted to a view',
): Promise<void> {
  if (!user.capabilities.includes(ORG_ADMIN)) return;
  if ((await records.countHolders(tenantId, ORG_ADMIN, user.id)) > 0) return;
  const cause = `the tenant must keep at least one enabled user with ${ORG_ADMIN} whom no view restricts: grant it to another user first`;
  throw new ServiceError('illegal_value', `The last administrator cannot be ${done}.`, {
    causes: [cause],
  });
}

function recordChange(
  records: WritableRecords,
  tenantId: string,
  user: AuthUser,
  userAction: UserAction,
  context: ChangeContext,
): Promise<void> {
  const { action, operation } = AUDIT[userAction];
  return recordAuditEvent(records, tenantId, context, {
    ...{ object: 'AUTH_USER', operation, action, target: user.uid, type: 'USER_MANAGEMENT' },
    attributes: {
      targetId: user.id,
      capabilitiesBefore: user.capabilities,
      ...changeOf(userAction, user),
    },
  });
}

/** The changed members before and after the action; signing out changes none. */
function changeOf(userAction: UserAction, user: AuthUser): Readonly<Record<string, AuditValue>> {
  switch (userAction) {
    case 'enable':
      return changeAttributes({ enabled: false }, { enabled: true });
    case 'disable':
      return changeAttributes({ enabled: true }, { enabled: false });
    case 'delete':
      return changeAttributes({ ...user }, null);
    case 'sign-out':
      return {};
  }
}
