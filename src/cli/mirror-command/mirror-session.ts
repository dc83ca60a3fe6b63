// Runs of cardea mirror: finds the local tenant, takes its lock, and runs once or again and again.
// Invariant: a run that is stopped keeps what is stored; the next one continues there.
import { setTimeout as delay } from 'node:timers/promises';
import type { Offline } from '../../compose.ts';
import type { MirrorWorld, Remote, RunReport } from '../../compose-mirror.ts';
import type { Config } from '../../config.ts';
import { isTenantName } from '../../identity/accounts/provisioning.ts';
import { MIRROR_ADMIN, setUpMirror } from '../../identity/mirrors/mirror-setup.ts';
import type { Mirror } from '../../identity/ports/mirror-records.ts';
import type { Store, Tenant } from '../../identity/ports/store.ts';
import { CommandError, type Context, UsageError } from '../context.ts';
import { indexUpTo, withData, withNewStore, withStore } from '../data.ts';
import { INTERRUPTED } from '../stop-signal.ts';
import type { Terminal } from '../terminal.ts';
import { MirrorProgress } from './mirror-progress.ts';
import { printRun, printVerification } from './mirror-result.ts';

/** What the command line asks for; null: as the mirror remembers it. */
export interface MirrorOrder {
  readonly config: Config;
  readonly source: URL | null;
  readonly name: string | null;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly profilesSource: URL | null;
  /** Empty: profile management is not read. */
  readonly profilesKey: string;
  readonly authUsers: 'all' | 'none' | readonly string[] | null;
  readonly full: boolean;
  readonly overlapMs: number;
  readonly sweepEveryMs: number;
  readonly allowShrinking: boolean;
  /** null: as fast as answers come. */
  readonly rate: { readonly requests: number; readonly seconds: number } | null;
  readonly json: boolean;
  /** The mirror is not created. */
  readonly mustExist?: boolean;
}

/** Mirrors once, or so often. @param watchMs null: once */
export async function mirrorTenant(
  order: MirrorOrder,
  watchMs: number | null,
  context: Context,
): Promise<void> {
  const from = await stoppable(
    context,
    withSession(order, context, async (session) => {
      const from = await session.store.read.lastSequence();
      if (watchMs === null) await runOnce(session, context);
      else await runForever(session, watchMs, context);
      return from;
    }),
  );
  if (watchMs !== null) context.exitCode = 0;
  else if (from !== null) await makeSearchable(order, from, context);
}

/** Compares the mirror with the remote tenant. @param sample documents of each index */
export async function verifyTenant(
  order: MirrorOrder,
  sample: number | 'all',
  context: Context,
): Promise<void> {
  const work = async ({ compose, world, json }: Session) => {
    const options = { sample: sample === 'all' ? null : sample, random: Math.random };
    const result = await compose.verifyMirror(world, options);
    if (!printVerification(result, { json }, context)) context.exitCode = 1;
  };
  await stoppable(context, withSession({ ...order, mustExist: true }, context, work));
}

/** The result of work; null if it was stopped, which is no error. */
async function stoppable<T>(context: Context, work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (!context.stop.stopping || !(error instanceof Error) || error.name !== 'AbortError') {
      throw error;
    }
    context.exitCode = INTERRUPTED;
    return null;
  }
}

interface Session {
  readonly compose: typeof import('../../compose-mirror.ts');
  readonly store: Store;
  readonly world: MirrorWorld;
  readonly progress: MirrorProgress;
  readonly tenant: Tenant;
  readonly json: boolean;
}

/** Opens the store, the remote tenant and the lock, and closes them in the end. */
async function withSession<T>(
  order: MirrorOrder,
  context: Context,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const compose = await import('../../compose-mirror.ts');
  const stopping = new AbortController();
  void context.stop.wait().then(() => stopping.abort());
  const { terminal } = context;
  const withMirror = order.mustExist === true ? withStore : withNewStore;
  return withMirror(order.config, async (data) => {
    const stored = await storedMirror(data.store, order);
    if (stored === null && order.mustExist === true) {
      throw new CommandError(
        'There is no such mirror here: create it with cardea mirror --from URL.',
      );
    }
    const { source, profiles } = sourcesOf(order, stored);
    const remote = compose.openRemote({
      ...{ url: source, profiles, rate: order.rate, signal: stopping.signal },
      ...{ clientId: order.clientId, clientSecret: order.clientSecret },
      allowPrivateAddresses: order.config.allowPrivateUrls,
      onRetry(reason, waitMs) {
        // Short ones are too frequent to tell.
        if (waitMs >= 5_000)
          terminal.note(`${reason}; trying again in ${Math.ceil(waitMs / 1_000)}s`);
      },
    });
    try {
      const name = order.name ?? stored?.tenant.name ?? null;
      const opened = { order, compose, remote, stored, terminal };
      return await inLockedTenant(opened, name, data, stopping, work);
    } finally {
      remote.end();
    }
  });
}

interface Opened {
  readonly order: MirrorOrder;
  readonly compose: Session['compose'];
  readonly remote: Remote;
  readonly stored: StoredMirror | null;
  readonly terminal: Terminal;
}

async function inLockedTenant<T>(
  { order, compose, remote, stored, terminal }: Opened,
  name: string | null,
  { store, documents }: Pick<Offline, 'store' | 'documents'>,
  stopping: AbortController,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const { source } = sourcesOf(order, stored);
  const identity = stored === null ? await remote.tenant.identity() : { name: null, pod: null };
  const tenantName = name ?? identity.name ?? source.hostname.split('.')[0] ?? '';
  // The remote tenant chooses it, and a lock file is called so.
  if (!isTenantName(tenantName)) {
    throw new CommandError(
      `${JSON.stringify(tenantName.slice(0, 80))} cannot be the name of a tenant here: choose one with --name, of lower-case letters, digits and hyphens.`,
    );
  }
  const pod = identity.pod !== null && isTenantName(identity.pod) ? identity.pod : null;
  const lock = await compose.lockMirror(order.config, tenantName);
  lock.lost.addEventListener('abort', () => stopping.abort());
  try {
    const authUsers = order.authUsers ?? rememberedUsers(stored);
    const tenant = await setUpMirror(store, {
      ...{ name: tenantName, pod, source: source.href },
      profilesSource: (order.profilesSource?.href ?? stored?.mirror.profilesSource) || null,
      authUsers: typeof authUsers === 'string' ? authUsers : 'file',
    });
    if (stored === null && !order.json) {
      terminal.note(
        `Created tenant ${tenant.name}. Get credentials to search it with: cardea pat create ${MIRROR_ADMIN} --tenant ${tenant.name}`,
      );
    }
    const progress = new MirrorProgress();
    const { full, overlapMs, sweepEveryMs, allowShrinking, json } = order;
    const world: MirrorWorld = {
      ...{ store, local: documents, tenantId: tenant.id },
      ...{ remote: remote.tenant, profiles: remote.profiles },
      choices: { authUsers, full, overlapMs, sweepEveryMs, allowShrinking },
      clock: { now: () => Date.now() },
      watch: progress,
      signal: stopping.signal,
    };
    const result = await work({ compose, store, world, progress, tenant, json });
    if (!lock.lost.aborted) return result;
    throw new CommandError(
      'The connection to the database that held the lock of the mirror was lost: run the command again.',
    );
  } finally {
    await lock.release();
  }
}

interface StoredMirror {
  readonly tenant: Tenant;
  readonly mirror: Mirror;
}

/** The mirror of that name, of that source, or the only one. */
async function storedMirror(store: Store, order: MirrorOrder): Promise<StoredMirror | null> {
  const mirrors = await store.read.mirrors();
  const named = await Promise.all(
    mirrors.map(async (mirror) => ({
      mirror,
      tenant: (await store.read.tenantById(mirror.tenantId)) as Tenant,
    })),
  );
  const matching = named.filter(
    ({ tenant, mirror }) =>
      (order.name === null || tenant.name === order.name) &&
      (order.source === null || order.name !== null || mirror.source === order.source.href),
  );
  if (matching.length > 1) {
    const names = matching.map(({ tenant }) => tenant.name).join(', ');
    throw new CommandError(`Choose a mirror with --name: ${names}.`);
  }
  return matching[0] ?? null;
}

function sourcesOf(order: MirrorOrder, stored: StoredMirror | null) {
  const source = order.source ?? (stored === null ? null : new URL(stored.mirror.source));
  if (source === null) {
    throw new UsageError(['--from is missing: the base URL of the remote tenant.']);
  }
  const remembered = stored?.mirror.profilesSource ?? null;
  const url = order.profilesSource ?? (remembered === null ? null : new URL(remembered));
  if (url !== null && order.profilesKey === '') {
    throw new UsageError([`NERM_TOKEN is not set: the mirror reads profiles from ${url.href}.`]);
  }
  return { source, profiles: url === null ? null : { url, key: order.profilesKey } };
}

function rememberedUsers(stored: StoredMirror | null): 'all' | 'none' {
  const remembered = stored?.mirror.authUsers ?? 'none';
  if (remembered === 'file') {
    throw new UsageError(['--auth-users is missing: the mirror reads those of a file.']);
  }
  return remembered === 'all' ? 'all' : 'none';
}

async function runOnce(session: Session, context: Context): Promise<RunReport> {
  const { compose, world, progress, tenant, json } = session;
  await progress.begin(world, context.terminal);
  let report: RunReport;
  try {
    report = await compose.runMirror(world);
  } finally {
    progress.end();
  }
  printRun(report, { tenant: tenant.name, json, documents: progress.documents }, context);
  if (report.outcome === 'failed') context.exitCode = 1;
  if (report.outcome === 'stopped') context.exitCode = INTERRUPTED;
  return report;
}

/** Runs until a signal; a run that fails is tried again at the next interval. */
async function runForever(session: Session, watchMs: number, context: Context): Promise<void> {
  const { signal } = session.world;
  while (!signal.aborted) {
    const began = Date.now();
    await runOnce(session, context);
    const pause = Math.max(0, began + watchMs - Date.now());
    await delay(pause, undefined, { signal }).catch(() => {});
  }
}

/** Without a server, feeds the search as an import does. */
async function makeSearchable(order: MirrorOrder, from: number, context: Context): Promise<void> {
  if (context.stop.stopping) return;
  await withData(order.config, async ({ indexer, store }) => {
    if (indexer === null) {
      if (!order.json) {
        context.terminal.note('Everything is stored; the running server is making it searchable.');
      }
      return;
    }
    const sequence = await store.read.lastSequence();
    await indexUpTo(indexer, { from, sequence }, context.terminal, context.stop);
  });
}
