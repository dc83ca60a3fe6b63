// Creates one auth user, from the members that the service returns. Unlike an import it refuses a user
// that exists, levels that do not, and members that nobody can set. Rights are checked by the callers.
// Invariant: the user and its audit events are one transaction.
import { newId } from '../../auth/secrets.ts';
import { ServiceError } from '../../errors.ts';
import { type ChangeContext, recordAuditEvents } from '../audit/audit-event.ts';
import { DocumentFault } from '../documents/document-shape.ts';
import type { ListedAuthUser } from '../ports/auth-user-list.ts';
import type { Tenant, WritableRecords } from '../ports/store.ts';
import { refuseUnknownView } from '../views/view-names.ts';
import { authUserAttributes, levelEvents } from './auth-user-event.ts';
import { authUserOf } from './auth-user-import.ts';
import { type CapabilityRules, checkCapabilities } from './capability-patch.ts';

/** The members that a new auth user may be given; `uid` is required. */
const MEMBERS: ReadonlySet<string> = new Set([
  ...['id', 'uid', 'alias', 'displayName', 'firstname', 'lastname', 'email', 'personalEmail'],
  ...['phone', 'workPhone', 'identificationNumber', 'profile', 'capabilities', 'view'],
]);

/**
 * Creates an auth user in the caller's transaction, with its audit events: one for the creation, and one
 * for each level that has an event of its own. Parameters and errors are those of `putNewUser`.
 */
export async function addAuthUser(
  records: WritableRecords,
  tenant: Tenant,
  body: unknown,
  change: ChangeContext & CapabilityRules,
): Promise<ListedAuthUser> {
  const created = await putNewUser(records, tenant, body, change);
  const { user, status } = created;
  const events = levelEvents(null, user, change, {
    ...{ act: 'AUTH_USER_PROVISION', target: user.uid },
    attributes: {
      ...authUserAttributes(null, user),
      ...(status.view !== null && { view: status.view }),
    },
  });
  await recordAuditEvents(records, tenant.id, events);
  return created;
}

/**
 * Stores a new auth user in the caller's transaction, whose audit events the caller records.
 * @param body its members, not validated: `uid` is required, `id` is made if it is missing or null, and
 * `view` names the view that restricts it
 * @throws ServiceError `request_invalid` for a body that is no object, `illegal_value` for a member
 * that is missing, wrong or cannot be set, a taken `id` or `uid`, an unknown level or view
 */
export async function putNewUser(
  records: WritableRecords,
  tenant: Tenant,
  body: unknown,
  change: ChangeContext & CapabilityRules,
): Promise<ListedAuthUser> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new ServiceError('request_invalid', 'The auth user cannot be read.', {
      causes: ['the body must be one object, such as {"uid": "ada", "email": "ada@acme.test"}'],
    });
  }
  const members = { ...body } as Readonly<Record<string, unknown>>;
  const other = Object.keys(members).find((name) => !MEMBERS.has(name));
  if (other !== undefined) {
    const named = JSON.stringify(other.slice(0, 100));
    throw illegal(`${named} cannot be set: the members are ${[...MEMBERS].join(', ')}`);
  }
  const { view = null } = members;
  if (view !== null && typeof view !== 'string') throw illegal('view must be a string or null');
  const user = readUser(members, tenant, change);
  checkCapabilities([], user.capabilities, change);
  if ((await records.authUser(tenant.id, user.id)) !== null) {
    throw illegal(`id: ${JSON.stringify(user.id)} is taken`);
  }
  const holder = await records.authUserByUid(tenant.id, user.uid);
  if (holder !== null) {
    throw illegal(`uid: ${JSON.stringify(user.uid)} is taken by the auth user ${holder.id}`);
  }
  await refuseUnknownView(records, tenant.id, view);
  await records.putAuthUsers(tenant.id, [user]);
  if (view !== null) await records.setUserView(tenant.id, user.id, view);
  const status = await records.userStatus(tenant.id, user.id);
  if (status === null) throw new Error('The created auth user has no state.');
  return { user, status };
}

/** @throws ServiceError `illegal_value` */
function readUser(
  members: Readonly<Record<string, unknown>>,
  tenant: Tenant,
  { random }: ChangeContext,
) {
  try {
    return authUserOf(members, tenant, () => newId(random));
  } catch (error) {
    if (error instanceof DocumentFault) throw illegal(error.message);
    throw error;
  }
}

function illegal(cause: string): ServiceError {
  return new ServiceError('illegal_value', 'This auth user cannot be created.', {
    causes: [cause],
  });
}
