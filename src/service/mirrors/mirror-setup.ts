// Makes a tenant a mirror, once, and remembers what it mirrors.
// Invariant: a tenant with data of its own never becomes a mirror, so a sweep deletes nothing that
// was not copied.
import { ServiceError } from '../../errors.ts';
import { addAdmin, addTenant } from '../accounts/provisioning.ts';
import { AUTH_USER_PART, type Mirror } from '../ports/mirror-records.ts';
import type { Store, Tenant, WritableRecords } from '../ports/store.ts';

export interface MirrorRequest extends Pick<Mirror, 'source' | 'profilesSource' | 'authUsers'> {
  /** Name of the local tenant. */
  readonly name: string;
  /** Pod of a new tenant; null: the default. */
  readonly pod: string | null;
}

/** Login of the administrator that each mirror has, since users of the remote tenant may have none. */
export const MIRROR_ADMIN = 'mirror-admin';

const NO_COUNTS = { created: 0, updated: 0, unchanged: 0, deleted: 0, refused: 0 };

/**
 * Creates the tenant of a mirror with an administrator, or finds it.
 * @throws ServiceError `illegal_value` if a tenant of that name is no mirror, or one of other
 * sources
 */
export async function setUpMirror(store: Store, request: MirrorRequest): Promise<Tenant> {
  const { name, pod, ...sources } = request;
  return store.write(async (records) => {
    const existing = await records.tenantByName(name);
    const mirror = existing === null ? null : await records.mirror(existing.id);
    if (existing !== null && mirror === null) {
      throw refused(
        `Tenant ${name} exists and is no mirror: choose another name with --name, for a tenant that the mirror creates.`,
      );
    }
    if (mirror !== null && mirror.source !== request.source) {
      throw refused(
        `Tenant ${name} mirrors ${mirror.source}: choose another name with --name for ${request.source}.`,
      );
    }
    const { profilesSource } = mirror ?? {};
    if (profilesSource != null && profilesSource !== request.profilesSource) {
      throw refused(
        `Tenant ${name} mirrors the profiles of ${profilesSource}: choose another name with --name.`,
      );
    }
    const tenant = existing ?? (await addTenant(records, { name, pod: pod ?? undefined }));
    if (existing === null) await addAdmin(records, tenant, { uid: MIRROR_ADMIN });
    if (mirror !== null && mirror.authUsers !== sources.authUsers) {
      await beginAuthUsersAgain(records, tenant.id);
    }
    const started = { running: null, runs: [], counted: NO_COUNTS, audited: NO_COUNTS };
    await records.putMirror({ ...started, ...mirror, ...sources, tenantId: tenant.id });
    return tenant;
  });
}

/** Other auth users are chosen: they are due, and a walk through the former ones is given up. */
async function beginAuthUsersAgain(records: WritableRecords, tenantId: string): Promise<void> {
  const parts = await records.mirrorParts(tenantId);
  const part = parts.find(({ name }) => name === AUTH_USER_PART);
  if (part !== undefined) {
    await records.putMirrorPart(tenantId, { ...part, walk: null, copiedAt: null });
  }
}

function refused(message: string): ServiceError {
  return new ServiceError('illegal_value', message);
}
