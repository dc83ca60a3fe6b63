// Wires a mirror: the remote tenant over HTTP, and a lock so that two mirrors of one tenant never
// run at the same time.
// Invariant: secrets stay in memory; nothing of them is written to the store, a file or a log.
import { dirname, join } from 'node:path';
import type { Config } from '../config/config.ts';
import { ServiceError } from '../errors.ts';
import { IscTenant } from '../jobs/mirror/remote/isc-tenant.ts';
import { NermTenant } from '../jobs/mirror/remote/nerm-tenant.ts';
import type { RemoteProfiles, RemoteTenant } from '../jobs/mirror/remote/remote-tenant.ts';
import { RequestPace, type RequestRate } from '../jobs/mirror/remote/request-pace.ts';
import { ServiceClient, type ServiceCredentials } from '../remote/service-client.ts';
import { acquireIndexLock, LOCK_WAIT_MS } from '../store/sqlite/index-lock.ts';

export { type RunReport, runMirror } from '../jobs/mirror/mirror-run.ts';
export { indexQuery } from '../jobs/mirror/parts/index-part.ts';
export type { MirrorChoices, MirrorWorld } from '../jobs/mirror/parts/mirror-world.ts';
export { type Verification, verifyMirror } from '../jobs/mirror/verification.ts';

/** How a remote tenant is reached. */
export interface RemoteAccess {
  readonly url: URL;
  readonly clientId: string;
  readonly clientSecret: string;
  /** null: profile management is not read. */
  readonly profiles: { readonly url: URL; readonly key: string } | null;
  readonly rate: RequestRate | null;
  readonly allowPrivateAddresses: boolean;
  /** Aborts when the run is to stop. */
  readonly signal: AbortSignal;
  /** As that of ServiceClientOptions. */
  readonly onRetry: (reason: string, waitMs: number, tookMs: number) => void;
}

/** An open remote tenant. */
export interface Remote {
  readonly tenant: RemoteTenant;
  readonly profiles: RemoteProfiles | null;
  end(): void;
}

/** Connects to a remote tenant; its first request shows whether that works. */
export function openRemote(access: RemoteAccess): Remote {
  const { url, clientId, clientSecret, profiles, rate, allowPrivateAddresses, signal } = access;
  const clientOf = ({ href }: URL, credentials: ServiceCredentials) =>
    new ServiceClient(
      { baseUrl: href, credentials },
      {
        ...{ allowPrivateAddresses, signal, repeated: 'failed', onRetry: access.onRetry },
        pace: new RequestPace(rate, () => performance.now()),
      },
    );
  const tenant = clientOf(url, { clientId, clientSecret });
  const profileClient = profiles === null ? null : clientOf(profiles.url, { token: profiles.key });
  return {
    tenant: new IscTenant(tenant),
    profiles: profileClient === null ? null : new NermTenant(profileClient),
    end() {
      tenant.end();
      profileClient?.end();
    },
  };
}

/** A lock that is held. */
export interface MirrorLock {
  /** Aborts if the lock is lost. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

/**
 * Takes the lock of the mirror of a tenant; the system releases it when the process dies.
 * @throws ServiceError `unavailable` if another process holds it
 */
export async function lockMirror({ store }: Config, tenantName: string): Promise<MirrorLock> {
  const lost = new AbortController();
  if (store.kind === 'sqlite') {
    const path = join(dirname(store.path), 'mirror-locks', tenantName);
    const lock = await acquireIndexLock(path, LOCK_WAIT_MS);
    if (lock === null) throw alreadyRuns(tenantName);
    return { lost: lost.signal, release: async () => lock.release() };
  }
  const { PostgresLock } = await import('../store/postgres/postgres-lock.ts');
  const lock = new PostgresLock({ ...store, purpose: { mirrorOf: tenantName } });
  const hold = await lock.acquire(AbortSignal.timeout(LOCK_WAIT_MS));
  if (hold === null) throw alreadyRuns(tenantName);
  void hold.lost.then(() => lost.abort());
  return { lost: lost.signal, release: () => hold.release() };
}

function alreadyRuns(tenantName: string): ServiceError {
  return new ServiceError('unavailable', `Another process mirrors ${tenantName} already.`);
}
