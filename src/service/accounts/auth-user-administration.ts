// Administration of auth users beyond capabilities: create, disable, enable, restrict to a view, sign out,
// delete. All but enabling and views end the user's access tokens, on each node at its next check
// (service/credentials/token-check.ts). Where another issuer signs tokens for the tenant, its people
// can be disabled and signed out without being auth users.
// Invariant: at least one enabled user of a tenant whom no view restricts has ORG_ADMIN.
// Invariant: no token or key of a deleted user works again, also when the user is created anew.
// Invariant: a view ends only where somebody ends it: a restricted user is not deleted, since new tokens
// of other issuers are valid without the user, and would see everything.
import { randomBytes } from 'node:crypto';
import { authorize } from '../../auth/access.ts';
import type { Caller } from '../../auth/caller.ts';
import { ORG_ADMIN } from '../../auth/capabilities.ts';
import { type Clock, systemClock } from '../../auth/clock.ts';
import type { TokenPolicy } from '../../auth/confinement.ts';
import type { ExternalIssuers } from '../../auth/external-issuers.ts';
import type { RandomBytes } from '../../auth/secrets.ts';
import { ServiceError } from '../../errors.ts';
import type { Act } from '../../query/mapping/event-names.ts';
import {
  type AuditValue,
  actorOf,
  type ChangeContext,
  changeAttributes,
  recordAuditEvent,
} from '../audit/audit-event.ts';
import { nextValidFrom } from '../credentials/credential-bounds.ts';
import { removeCredentialsOf } from '../credentials/credentials.ts';
import type { ListedAuthUser } from '../ports/auth-user-list.ts';
import type {
  AbsentUser,
  AuthUser,
  Records,
  Store,
  TokenState,
  UserStatus,
  WritableRecords,
} from '../ports/store.ts';
import { refuseUnknownView } from '../views/view-names.ts';
import { addAuthUser } from './auth-user-creation.ts';
import { authorizeAsStored, noSuchUser, representation } from './auth-users.ts';

/** An auth user in the view of administrators. */
export interface AdministeredUser extends AuthUser, AdministeredState {}

interface AdministeredState {
  readonly enabled: boolean;
  /**
   * ISO 8601: access tokens issued earlier are rejected; null when the user was never signed out.
   */
  readonly tokensValidFrom: string | null;
  /** The view that all its tokens are restricted to; null: none. */
  readonly view: string | null;
}

/** A person of another issuer who is no auth user, as administrators see it. */
export interface AdministeredPerson extends AdministeredState {
  readonly id: string;
}

export type UserAction = 'enable' | 'disable' | 'sign-out' | 'delete';

/** The audit event of each action. */
const ACTS = {
  enable: 'AUTH_USER_ENABLE',
  disable: 'AUTH_USER_DISABLE',
  'sign-out': 'AUTH_USER_SIGN_OUT',
  delete: 'AUTH_USER_DELETE',
} as const satisfies Readonly<Record<UserAction, Act>>;

/** Settings; all have defaults. */
export interface AdministrationOptions {
  /** The clock of the audit trail. */
  readonly clock?: Clock;
  /** The clock of tokens. */
  readonly tokenClock?: Clock;
  readonly random?: RandomBytes;
  /** Other issuers whose tokens are accepted; none when omitted. */
  readonly externalIssuers?: Pick<ExternalIssuers, 'speakFor'>;
  /** Default `strict`. */
  readonly policy?: TokenPolicy;
  /** Rejects capability pairs that the vendor's guides forbid together. Default off. */
  readonly refuseExclusivePairs?: boolean;
}

/** Use cases of administrators, and signing oneself out. */
export class AuthUserAdministration {
  readonly #store: Store;
  readonly #options: AdministrationOptions;

  constructor(store: Store, options: AdministrationOptions = {}) {
    this.#store = store;
    this.#options = options;
  }

  /** @throws ServiceError `forbidden`, `not_found` */
  async get(caller: Caller, id: string): Promise<AdministeredUser | AdministeredPerson> {
    authorize(caller, 'admin');
    const user = await administered(this.#store.read, caller.tenantId, id);
    if (user === null || (!('uid' in user) && !(await this.#mayBeAbsent(caller)))) {
      throw noSuchUser();
    }
    return user;
  }

  /**
   * Creates an auth user.
   * @param body as of `addAuthUser`
   * @throws ServiceError `forbidden`, `request_invalid`, `illegal_value`
   */
  async create(caller: Caller, body: unknown): Promise<AdministeredUser> {
    authorize(caller, 'admin');
    return this.#store.write(async (records) => {
      const [tenant] = await Promise.all([
        records.tenantById(caller.tenantId),
        authorizeAsStored(records, caller, 'admin'),
      ]);
      if (tenant === null) throw new ServiceError('not_found', 'There is no such tenant.');
      const { refuseExclusivePairs = false } = this.#options;
      const change = { ...this.#change(caller), refuseExclusivePairs };
      return administeredForm(await addAuthUser(records, tenant, body, change));
    });
  }

  /**
   * Disables or enables a user, or restricts it to a view.
   * @param body `{"enabled": true}`, `{"enabled": false}`, `{"view": name}` or `{"view": null}`, not
   * validated
   * @throws ServiceError `forbidden`, `request_invalid`, `not_found`, `illegal_value` for the last
   * administrator, and for a view that does not exist
   */
  async patch(
    caller: Caller,
    id: string,
    body: unknown,
  ): Promise<AdministeredUser | AdministeredPerson> {
    authorize(caller, 'admin');
    const { tenantId } = caller;
    const change = readUserChange(body);
    if ('view' in change && id === caller.identityId) {
      const cause = 'view: another administrator must restrict you, since you could not undo it';
      throw new ServiceError('illegal_value', 'You cannot restrict yourself.', { causes: [cause] });
    }
    return this.#store.write(async (records) => {
      if ('view' in change) {
        await restrictAuthUser(records, tenantId, id, change.view, this.#change(caller));
      } else {
        await changeAuthUser(records, tenantId, id, change.action, await this.#userChange(caller));
      }
      return (await administered(records, tenantId, id)) ?? personForm(id, UNKNOWN);
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
    await this.#store.write(async (records) => {
      // A write may wait for seconds, and ends the tokens that were issued meanwhile, too.
      const change = await this.#userChange(caller);
      await changeAuthUser(records, caller.tenantId, id, action, change);
    });
  }

  #change(caller: Caller): ChangeContext {
    const { clock = systemClock, random = randomBytes } = this.#options;
    return { now: clock.now(), random, actor: actorOf(caller) };
  }

  async #userChange(caller: Caller): Promise<UserChange> {
    const { tokenClock = systemClock, policy = 'strict' } = this.#options;
    const mayBeAbsent = await this.#mayBeAbsent(caller);
    return { ...this.#change(caller), tokenTime: tokenClock.now(), mayBeAbsent, policy };
  }

  /** Whether another issuer signs tokens for the tenant, of people who need not be auth users. */
  async #mayBeAbsent({ tenantId }: Caller): Promise<boolean> {
    const tenant = await this.#store.read.tenantById(tenantId);
    return tenant !== null && this.#options.externalIssuers?.speakFor(tenant) === true;
  }
}

/** How an action on a user is performed. */
export interface UserChange extends ChangeContext {
  /** Epoch milliseconds by the clock of tokens; `now` when omitted. */
  readonly tokenTime?: number;
  /** Whether the person need not be an auth user: another issuer signs its tokens. */
  readonly mayBeAbsent?: boolean;
  /** Whether the id of a person may be the login of an auth user with another id. */
  readonly mayBeNamed?: boolean;
  /** Default `strict`: the API keys of a deleted user go with it. */
  readonly policy?: TokenPolicy;
}

/** The state of a person of another issuer of whom nothing is recorded. */
const UNKNOWN: AbsentUser = { enabled: true, tokensValidFrom: 0, deleted: false };

/**
 * Performs an action on a user in the caller's transaction, with its audit event. Does not check
 * rights. Enabling an enabled user or disabling a disabled one changes nothing.
 * @returns the login of the user, or the id of a person who is no auth user
 * @throws ServiceError `not_found`, also for a login instead of an id; `illegal_value` when no enabled
 * administrator would remain, or a user who is restricted to a view would be deleted
 */
export async function changeAuthUser(
  records: WritableRecords,
  tenantId: string,
  id: string,
  action: UserAction,
  change: UserChange,
): Promise<string> {
  const user = await records.authUser(tenantId, id);
  const status = await records.personStatus(tenantId, id);
  if (user === null || status === null || 'deleted' in status) {
    if (change.mayBeAbsent !== true || action === 'delete') throw noSuchUser();
    if (status === null && change.mayBeNamed !== true) await refuseLogin(records, tenantId, id);
    const before = status === null || !('deleted' in status) ? UNKNOWN : status;
    if (action === (before.enabled ? 'enable' : 'disable')) return id;
    const after = { ...before, ...stateAfter(action, before, change) };
    await records.putAbsentUser(tenantId, id, after);
    await recordChange(records, tenantId, { id, uid: id }, action, change);
    return id;
  }
  if (action === (status.enabled ? 'enable' : 'disable')) return user.uid;
  if (action === 'delete') refuseRestricted(status);
  if (action === 'disable' || action === 'delete') {
    await refuseLastAdmin(records, tenantId, user, 'disabled or deleted');
  }
  const after = stateAfter(action, status, change);
  if (action === 'delete') {
    // Under `vendor` keys belong to the tenant.
    const kinds = change.policy === 'vendor' ? (['pat'] as const) : (['pat', 'key'] as const);
    await removeCredentialsOf(records, tenantId, id, kinds, change);
    await records.deleteAuthUser(tenantId, id, after);
  } else await records.setTokenState(tenantId, id, after);
  await recordChange(records, tenantId, user, action, change);
  return user.uid;
}

function stateAfter(
  action: UserAction,
  { enabled, tokensValidFrom }: TokenState,
  { now, tokenTime = now }: UserChange,
): TokenState {
  if (action === 'enable') return { enabled: true, tokensValidFrom };
  const ended = nextValidFrom({ tokensValidFrom }, { now: tokenTime });
  return { enabled: enabled && action !== 'disable', tokensValidFrom: ended };
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
    ...{ act: 'AUTH_USER_RESTRICT', target: user.uid },
    attributes: {
      targetId: user.id,
      ...changeAttributes({ view: status.view }, { view }),
    },
  });
}

/** null for a person of whom nothing is recorded. */
async function administered(
  records: Records,
  tenantId: string,
  id: string,
): Promise<AdministeredUser | AdministeredPerson | null> {
  const user = await records.authUser(tenantId, id);
  const status = await records.personStatus(tenantId, id);
  if (status === null) return null;
  if ('deleted' in status) return personForm(id, status);
  return user === null ? null : administeredForm({ user, status });
}

/** An auth user as administrators see it. */
export function administeredForm({ user, status }: ListedAuthUser): AdministeredUser {
  return { ...representation(user), ...stateForm(status), view: status.view };
}

function personForm(id: string, state: TokenState): AdministeredPerson {
  return { id, ...stateForm(state), view: null };
}

function stateForm({ enabled, tokensValidFrom: seconds }: TokenState) {
  const tokensValidFrom = seconds === 0 ? null : new Date(seconds * 1000).toISOString();
  return { enabled, tokensValidFrom };
}

/** @throws ServiceError `request_invalid` */
export function readUserChange(
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

/** The login of an auth user in the place of its id would leave that user as it is. */
async function refuseLogin(
  records: WritableRecords,
  tenantId: string,
  login: string,
): Promise<void> {
  const user = await records.authUserByUid(tenantId, login);
  if (user === null) return;
  const cause = `${JSON.stringify(login)} is the login of the auth user ${user.id}: use that id`;
  throw new ServiceError('not_found', 'There is no such auth user.', { causes: [cause] });
}

function refuseRestricted({ view }: Pick<UserStatus, 'view'>): void {
  if (view === null) return;
  const cause = `the view ${JSON.stringify(view)} would not restrict tokens that other issuers sign after the deletion: disable the user, or end the view first`;
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
  user: AuthUser | Pick<AuthUser, 'id' | 'uid'>,
  userAction: UserAction,
  context: ChangeContext,
): Promise<void> {
  return recordAuditEvent(records, tenantId, context, {
    ...{ act: ACTS[userAction], target: user.uid },
    attributes: {
      targetId: user.id,
      ...('capabilities' in user && { capabilitiesBefore: user.capabilities }),
      ...changeOf(userAction, user),
    },
  });
}

/** The changed members before and after the action; signing out changes none. */
function changeOf(
  userAction: UserAction,
  user: Pick<AuthUser, 'id' | 'uid'>,
): Readonly<Record<string, AuditValue>> {
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
