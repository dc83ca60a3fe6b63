// Operations of a local operator that need no token: create a tenant, and create and change auth users.
// Called by the command line and the demo, not by routes.
// Invariant: each call is one transaction with its audit events, of the actor `cardea`.
import { randomUUID } from 'node:crypto';
import { ORG_ADMIN } from '../../auth/capabilities.ts';
import { ServiceError } from '../../errors.ts';
import { type ChangeContext, changeAttributes, recordAuditEvent } from '../audit/audit-event.ts';
import { byOperator } from '../audit/operator-event.ts';
import type { ListedAuthUser } from '../ports/auth-user-list.ts';
import type { AuthUser, Store, Tenant, WritableRecords } from '../ports/store.ts';
import { changeAuthUser, type UserAction, type UserChange } from './auth-user-administration.ts';
import { addAuthUser, putNewUser } from './auth-user-creation.ts';
import { authUserAttributes } from './auth-user-event.ts';
import { noSuchUser, setLevels } from './auth-users.ts';
import type { CapabilityRules } from './capability-patch.ts';

/** A new tenant; its pod is `local` when omitted. */
export interface TenantRequest {
  readonly name: string;
  readonly pod?: string | undefined;
}

/** A new administrator; omitted members are derived from `uid`. */
export interface AdminRequest {
  readonly uid: string;
  /** 32 hexadecimal digits; random when omitted. */
  readonly id?: string;
  readonly displayName?: string;
  readonly email?: string | undefined;
  readonly firstname?: string;
  readonly lastname?: string;
}

const TENANT_NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Whether a tenant, or a pod, may be called so: a DNS label. */
export function isTenantName(name: string): boolean {
  return TENANT_NAME.test(name);
}

/**
 * Creates a tenant.
 * @throws ServiceError `illegal_value` when the name is taken or not a DNS label
 */
export async function createTenant(
  store: Store,
  request: TenantRequest,
  change: ChangeContext = byOperator(),
): Promise<Tenant> {
  return store.write((records) => addTenant(records, request, change));
}

/** Creates a tenant in the caller's transaction; throws like createTenant. */
export async function addTenant(
  records: WritableRecords,
  { name, pod = 'local' }: TenantRequest,
  change: ChangeContext = byOperator(),
): Promise<Tenant> {
  for (const [field, value] of Object.entries({ name, pod })) {
    if (!isTenantName(value)) {
      throw illegal(`${field}: lower-case letters, digits and hyphens, at most 63`);
    }
  }
  if ((await records.tenantByName(name)) !== null) throw illegal(`name: ${name} is taken`);
  const created = new Date(change.now).toISOString();
  const tenant: Tenant = { id: randomUUID(), name, pod, created };
  await records.addTenant(tenant);
  const attributes = { tenantId: tenant.id, ...changeAttributes(null, { name, pod }) };
  const content = { act: 'TENANT_CREATE', target: tenant.name, attributes } as const;
  await recordAuditEvent(records, tenant.id, change, content);
  return tenant;
}

/**
 * Creates an auth user with ORG_ADMIN.
 * @throws ServiceError `illegal_value` when id or uid is taken
 */
export async function createAdmin(
  store: Store,
  tenant: Tenant,
  request: AdminRequest,
  change: ChangeContext = byOperator(),
): Promise<AuthUser> {
  return store.write((records) => addAdmin(records, tenant, request, change));
}

/** Creates an auth user with ORG_ADMIN in the caller's transaction; throws like createAdmin. */
export async function addAdmin(
  records: WritableRecords,
  tenant: Tenant,
  request: AdminRequest,
  change: ChangeContext = byOperator(),
): Promise<AuthUser> {
  const members = { ...request, capabilities: [ORG_ADMIN] };
  const { user } = await putNewUser(records, tenant, members, change);
  const attributes = authUserAttributes(null, user);
  const content = { act: 'AUTH_USER_PROVISION', target: user.uid, attributes } as const;
  await recordAuditEvent(records, tenant.id, change, content);
  return user;
}

/**
 * Creates an auth user.
 * @param members as of `addAuthUser`
 * @throws ServiceError as `addAuthUser`
 */
export async function createUser(
  store: Store,
  tenant: Tenant,
  members: Readonly<Record<string, unknown>>,
  rules: CapabilityRules,
): Promise<ListedAuthUser> {
  return store.write((records) =>
    addAuthUser(records, tenant, members, { ...rules, ...byOperator() }),
  );
}

/**
 * Grants capabilities to an auth user, or revokes them.
 * @param next computes the capabilities from those that are stored
 * @returns the user as it is now
 * @throws ServiceError `not_found`, `illegal_value`, also when no administrator would remain
 */
export async function changeLevels(
  store: Store,
  tenantId: string,
  id: string,
  next: (current: readonly string[]) => readonly string[],
  rules: CapabilityRules,
): Promise<AuthUser> {
  return store.write(async (records) => {
    const user = await records.authUser(tenantId, id);
    if (user === null) throw noSuchUser();
    const change = { ...rules, ...byOperator() };
    return setLevels(records, tenantId, user, next(user.capabilities), change);
  });
}

/**
 * Enables, disables, signs out or deletes an auth user.
 * @param change called once the write does not wait any more, since its time ends tokens
 * @returns its login, or the id of a person who is no auth user
 * @throws ServiceError `not_found`, `illegal_value` when no enabled administrator would remain
 */
export async function administerUser(
  store: Store,
  tenantId: string,
  id: string,
  action: UserAction,
  change: () => UserChange = byOperator,
): Promise<string> {
  return store.write((records) => changeAuthUser(records, tenantId, id, action, change()));
}

function illegal(cause: string): ServiceError {
  return new ServiceError('illegal_value', `This cannot be created: ${cause}.`, {
    causes: [cause],
  });
}
