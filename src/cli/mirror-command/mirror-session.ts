// Runs of cardea mirror: finds the local tenant, takes its lock, and runs once or again and again.
// Invariant: a run that is stopped keeps what is stored; the next one continues there.
import { setTimeout as delay } from 'node:timers/promises';
import type { Offline } from '../../compose/compose.ts';
import type { MirrorWorld, Remote, RunReport } from '../../compose/mirror.ts';
import type { Config } from '../../config/config.ts';
import { ServiceError } from '../../errors.ts';
import { isTenantName } from '../../service/accounts/provisioning.ts';
import { MIRROR_ADMIN, setUpMirror } from '../../service/mirrors/mirror-setup.ts';
import type { Mirror } from '../../service/ports/mirror-records.ts';
import type { Store, Tenant } from '../../service/ports/store.ts';
import { CommandError, type Context, opening, UsageError } from '../common/context.ts';
import { indexUpTo, withData, withNewStore, withStore } from '../common/data.ts';
import { INTERRUPTED } from '../common/stop-signal.ts';
import { sameData } from '../help/suggestion.ts';
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

/**
 * Compares the mirror with the remote tenant. It writes nothing, so a mirror may be running.
 * @param sample documents of each index
 */
export async function verifyTenant(
  order: MirrorOrder,
  sample: number | 'all',
  context: Context,
): Promise<void> {
  const work = async ({ compose, remote, stored, data, stopping }: Opened) => {
    if (stored === null) throw new CommandError(NO_MIRROR);
    const { tenant, mirror } = stored;
    if (order.source !== null && order.source.href !== mirror.source) {
      throw new CommandError(
        `Tenant ${tenant.name} mirrors ${mirror.source}, not ${order.source.href}.`,
      );
    }
    const world = worldOf(order, { data, remote, stopping }, tenant, 'none', { walked() {} });
    const options = { sample: sample === 'all' ? null : sample, random: Math.random };
    const result = await compose.verifyMirror(world, options);
    if (!printVerification(result, order, context)) context.exitCode = 1;
  };
  await stoppable(context, withRemote(withStore, order, context, work));
}

const NO_MIRROR = 'There is no such mirror here: create it with cardea mirror --from URL.';

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
  readonly compose: typeof import('../../compose/mirror.ts');
  readonly store: Store;
  readonly world: MirrorWorld;
  readonly progress: MirrorProgress;
  readonly tenant: Tenant;
  readonly json: boolean;
}

interface Opened {
  readonly compose: Session['compose'];
  readonly data: Pick<Offline, 'store' | 'documents'>;
  readonly remote: Remote;
  readonly stored: StoredMirror | null;
  readonly stopping: AbortController;
}

/**
 * Opens the store and the remote tenant, and closes them in the end.
 * @param withMirror opens the store
 */
async function withRemote<T>(
  withMirror: typeof withStore<T>,
  order: MirrorOrder,
  context: Context,
  work: (opened: Opened) => Promise<T>,
): Promise<T> {
  const compose = await import('../../compose/mirror.ts');
  const stopping = new AbortController();
  void context.stop.wait().then(() => stopping.abort());
  const { terminal } = context;
  return withMirror(order.config, context, async (data) => {
    const stored = await storedMirror(data.store, order);
    const { source, profiles } = sourcesOf(order, stored);
    const remote = compose.openRemote({
      ...{ url: source, profiles, rate: order.rate, signal: stopping.signal },
      ...{ clientId: order.clientId, clientSecret: order.clientSecret },
      allowPrivateAddresses: order.config.allowPrivateUrls,
      onRetry(reason, waitMs, tookMs) {
        // Short ones are too frequent to tell.
        if (tookMs + waitMs < 5_000) return;
        terminal.note(`${reason}; trying again in ${Math.ceil(waitMs / 1_000)}s`);
      },
    });
    try {
      return await work({ compose, data, remote, stored, stopping });
    } finally {
      remote.end();
    }
  });
}

/** As withRemote, with the lock of the mirror, which is created unless it exists. */
function withSession<T>(
  order: MirrorOrder,
  context: Context,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  return withRemote(withNewStore, order, context, async (opened) => {
    const { compose, remote, stored, stopping } = opened;
    const { source } = sourcesOf(order, stored);
    const names = stored === null ? await remote.tenant.identity() : { name: null, pod: null };
    const name =
      order.name ?? stored?.tenant.name ?? names.name ?? source.hostname.split('.')[0] ?? '';
    // The remote tenant chooses it, and a lock file is called so.
    if (!isTenantName(name)) {
      throw new CommandError(
        `${JSON.stringify(name.slice(0, 80))} cannot be the name of a tenant here: choose one with --name, of lower-case letters, digits and hyphens.`,
      );
    }
    const pod = names.pod !== null && isTenantName(names.pod) ? names.pod : null;
    const lock = await opening(() => compose.lockMirror(order.config, name));
    lock.lost.addEventListener('abort', () => stopping.abort());
    try {
      const result = await work(await sessionOf(order, opened, { name, pod }, context));
      if (!lock.lost.aborted) return result;
    } catch (error) {
      if (!lock.lost.aborted) throw error;
    } finally {
      await lock.release();
    }
    throw new CommandError(
      'The connection to the database that held the lock of the mirror was lost: run the command again.',
    );
  });
}

async function sessionOf(
  order: MirrorOrder,
  { compose, data, remote, stored, stopping }: Opened,
  { name, pod }: { readonly name: string; readonly pod: string | null },
  { terminal }: Context,
): Promise<Session> {
  const { source } = sourcesOf(order, stored);
  const authUsers = order.authUsers ?? rememberedUsers(stored);
  const tenant = await setUpMirror(data.store, {
    ...{ name, pod, source: source.href },
    profilesSource: (order.profilesSource?.href ?? stored?.mirror.profilesSource) || null,
    authUsers: typeof authUsers === 'string' ? authUsers : 'file',
  });
  if (stored === null && !order.json) {
    terminal.note(
      `Created tenant ${tenant.name}. Get credentials to search it with: ${sameData(order.config, `cardea pat create --owner ${MIRROR_ADMIN} --name first --tenant ${tenant.name}`)}`,
    );
  }
  const progress = new MirrorProgress();
  const world = worldOf(order, { data, remote, stopping }, tenant, authUsers, progress);
  return { compose, store: data.store, world, progress, tenant, json: order.json };
}

function worldOf(
  { config, full, overlapMs, sweepEveryMs, allowShrinking }: MirrorOrder,
  { data, remote, stopping }: Pick<Opened, 'data' | 'remote' | 'stopping'>,
  { id }: Tenant,
  authUsers: MirrorWorld['choices']['authUsers'],
  watch: MirrorWorld['watch'],
): MirrorWorld {
  return {
    ...{ store: data.store, local: data.documents, tenantId: id },
    policy: config.tokenPolicy,
    ...{ remote: remote.tenant, profiles: remote.profiles },
    choices: { authUsers, full, overlapMs, sweepEveryMs, allowShrinking },
    clock: { now: () => Date.now() },
    watch,
    signal: stopping.signal,
  };
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

/**
 * Runs until a signal; a run that fails is tried again at the next interval. Only the first complete
 * run copies everything, if that is asked for.
 */
async function runForever(session: Session, watchMs: number, context: Context): Promise<void> {
  const { signal, choices } = session.world;
  const later = { ...session, world: { ...session.world, choices: { ...choices, full: false } } };
  let current = session;
  while (!signal.aborted) {
    const began = performance.now();
    try {
      const { outcome } = await runOnce(current, context);
      if (outcome === 'complete') current = later;
    } catch (error) {
      // Such as a database that is not available for a while.
      if (!(error instanceof ServiceError)) throw error;
      context.terminal.note(`error: ${error.message}`);
    }
    const pause = Math.max(0, began + watchMs - performance.now());
    await delay(pause, undefined, { signal }).catch(() => {});
  }
}

/** Without a server, feeds the search as an import does. */
async function makeSearchable(order: MirrorOrder, from: number, context: Context): Promise<void> {
  if (context.stop.stopping) return;
  await withData(order.config, context, async ({ indexer, store }) => {
    if (indexer === null) {
      if (!order.json) {
        context.terminal.note(
          'Everything is stored; the server or command that has the index is making it searchable.',
        );
      }
      return;
    }
    const sequence = await store.read.lastSequence();
    await indexUpTo(indexer, { from, sequence }, context.terminal, context.stop);
  });
}
