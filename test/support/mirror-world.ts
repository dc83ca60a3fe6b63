// A mirror of a remote tenant in memory, for tests of what a service may do while it is read: it
// changes between two pages, stops to list what it still counts, or refuses a collection.
import { join } from 'node:path';
import { pino } from 'pino';
import { openOffline } from '../../src/compose/compose.ts';
import { type MirrorChoices, type MirrorWorld, runMirror } from '../../src/compose/mirror.ts';
import { ServiceError } from '../../src/errors.ts';
import type {
  RemotePage,
  RemoteProfiles,
  RemoteRecord,
  RemoteTenant,
} from '../../src/jobs/mirror/remote/remote-tenant.ts';
import type { IndexName } from '../../src/query/query.ts';
import type { PageItem } from '../../src/service/documents/import-pages.ts';
import { setUpMirror } from '../../src/service/mirrors/mirror-setup.ts';
import type { MirrorPart } from '../../src/service/ports/mirror-records.ts';
import {
  type ShownProfile,
  showProfiles,
} from '../../src/service/profiles/values/shown-profiles.ts';
import { temporaryFolder, throwAwayConfig, writeEmptyStore } from './empty-store.ts';

const CHOICES: MirrorChoices = {
  ...{ authUsers: 'none', full: false, allowShrinking: false },
  ...{ overlapMs: 15 * 60_000, sweepEveryMs: 24 * 3_600_000 },
};

/** The clock of both sides, ISO 8601; tests set it. */
export interface TestClock {
  now: string;
}

/** The search of a remote tenant; it has identities and their auth users. */
export class MemoryTenant implements RemoteTenant {
  rows: RemoteRecord[] = [];
  /** Documents on a page. */
  pageSize = 250;
  /** Whether pages of ids, and searches by ids, show an identity that is counted. */
  shows: (id: string) => boolean = () => true;
  /** Whether an identity has an auth user. */
  hasUser: (id: string) => boolean = () => true;
  readonly #clock: TestClock;

  constructor(clock: TestClock) {
    this.#clock = clock;
  }

  identity = async () => ({ name: 'acme', pod: null });

  async page({ index, query, after }: RemotePage): Promise<readonly PageItem[]> {
    const rows = this.#matches(index, query).filter(({ id }) => id > (after ?? ''));
    return rows.slice(0, this.pageSize).map(itemOf);
  }

  async ids({ index, query, after }: RemotePage): Promise<readonly string[]> {
    const ids = this.#matches(index, query).map(({ id }) => id);
    return ids.filter((id) => id > (after ?? '') && this.shows(id)).slice(0, this.pageSize);
  }

  async documents(index: IndexName, ids: readonly string[]): Promise<readonly PageItem[]> {
    const existing = await this.existing(index, ids);
    return this.rows.filter(({ id }) => existing.has(id)).map(itemOf);
  }

  async existing(index: IndexName, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const existing = new Set(this.#matches(index, '*').map(({ id }) => id));
    return new Set(ids.filter((id) => existing.has(id) && this.shows(id)));
  }

  count = async (index: IndexName, query: string) => this.#matches(index, query).length;

  async youngest(index: IndexName, field: string) {
    const times = this.#matches(index, '*').map((row) => String(row[field]));
    return { at: times.sort().at(-1) ?? null, now: this.#clock.now };
  }

  async authUser(id: string): Promise<PageItem | null> {
    return this.hasUser(id) ? itemOf({ id, uid: id }) : null;
  }

  #matches(index: IndexName, query: string): RemoteRecord[] {
    if (index !== 'identities') return [];
    const [, since = ''] = /modified:\[(\S+) TO/.exec(query) ?? [];
    return inOrder(this.rows.filter(({ modified }) => String(modified) >= since));
  }
}

/** The profile management of a remote tenant. */
export class MemoryProfiles implements RemoteProfiles {
  /** Records by collection, such as `users`; also `profiles`. */
  collections: Record<string, RemoteRecord[]> = {};
  /** Collections that answer 404. */
  readonly failing = new Set<string>();
  /** Called before a page of records is answered. */
  beforePage: (collection: string, offset: number) => void = () => {};
  readonly #clock: TestClock;

  constructor(clock: TestClock) {
    this.#clock = clock;
  }

  async profiles({ after, since }: Parameters<RemoteProfiles['profiles']>[0]) {
    const rows = this.#all('profiles').filter(
      (row) => row.id > (after ?? '') && String(row['updated_at']) >= (since ?? ''),
    );
    return rows.slice(0, 3).map(itemOf);
  }

  async profile(id: string): Promise<PageItem | null> {
    const row = this.#all('profiles').find((one) => one.id === id);
    return row === undefined ? null : itemOf(row);
  }

  count = async (collection: string) => this.#all(collection).length;

  now = async () => this.#clock.now;

  async records(collection: string, offset: number): Promise<readonly RemoteRecord[]> {
    this.beforePage(collection, offset);
    return this.#all(collection).slice(offset, offset + 3);
  }

  async hasRecord(collection: string, id: string): Promise<boolean> {
    return this.#all(collection).some((row) => row.id === id);
  }

  #all(collection: string): RemoteRecord[] {
    if (this.failing.has(collection)) {
      throw new ServiceError('unavailable', `GET /api/${collection} answered 404`);
    }
    return inOrder(this.collections[collection] ?? []);
  }
}

/** A tenant in memory with a mirror. */
export interface TestMirror {
  readonly dataDir: string;
  readonly clock: TestClock;
  readonly tenant: MemoryTenant;
  readonly profiles: MemoryProfiles;
  world(choices?: Partial<MirrorChoices>): MirrorWorld;
  run(choices?: Partial<MirrorChoices>): ReturnType<typeof runMirror>;
  /** The mirrored identity as it is stored; null if it is not here. */
  document(id: string): Promise<Record<string, unknown> | null>;
  /** The mirrored profile as the API shows it. */
  profile(id: string): Promise<ShownProfile | undefined>;
  part(name: string): Promise<MirrorPart>;
  /** How many documents or records of a part the mirror brought. */
  here(name: string): Promise<number>;
  close(): Promise<void>;
}

/** @param env settings */
export async function openTestMirror(env: Record<string, string> = {}): Promise<TestMirror> {
  const dataDir = temporaryFolder();
  await writeEmptyStore(join(dataDir, 'cardea.db'));
  const config = throwAwayConfig({ CARDEA_DATA_DIR: dataDir, ...env });
  const log = pino({ level: 'silent' });
  const { store, documents, close } = await openOffline(config, { log }, 'store');
  const source = 'https://acme.example/';
  const mirrored = await setUpMirror(store, {
    ...{ name: 'acme', pod: null, source, profilesSource: source, authUsers: 'none' },
  });
  const tenantId = mirrored.id;
  const clock = { now: '2026-01-01T12:00:00.000Z' };
  const [tenant, profiles] = [new MemoryTenant(clock), new MemoryProfiles(clock)];
  const world = (choices: Partial<MirrorChoices> = {}): MirrorWorld => ({
    ...{ store, local: documents, tenantId, policy: config.tokenPolicy },
    ...{ remote: tenant, profiles },
    ...{ choices: { ...CHOICES, ...choices }, watch: { walked() {} } },
    clock: { now: () => Date.parse(clock.now) },
    signal: new AbortController().signal,
  });
  return {
    ...{ dataDir, clock, tenant, profiles, world, close },
    run: (choices) => runMirror(world(choices)),
    async document(id) {
      const stored = await store.read.document(tenantId, 'identities', id);
      return stored === null ? null : JSON.parse(Buffer.from(stored.root).toString());
    },
    async profile(id) {
      const stored = await store.read.profilesByKey(tenantId, [id]);
      return (await showProfiles(store.read, tenantId, stored))[0];
    },
    async here(name) {
      return (await store.read.mirroredCounts(tenantId))[name] ?? 0;
    },
    async part(name) {
      const parts = await store.read.mirrorParts(tenantId);
      return parts.find((part) => part.name === name) as MirrorPart;
    },
  };
}

function itemOf(row: RemoteRecord): PageItem {
  return { id: row.id, text: Buffer.from(JSON.stringify(row)) };
}

function inOrder(rows: readonly RemoteRecord[]): RemoteRecord[] {
  return [...rows].sort((a, b) => (a.id < b.id ? -1 : 1));
}
