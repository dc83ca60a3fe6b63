// The store port in memory, for tests that need a store but not a database. Writes are serialised and work on a
// copy of the tables, which takes the place of the committed ones only when the work succeeds.
import { isDeepStrictEqual } from 'node:util';
import { ServiceError } from '../../src/errors.ts';
import { documentHash } from '../../src/identity/document-hash.ts';
import type {
  AuthUser,
  DocumentChange,
  OAuthClient,
  PersonalAccessToken,
  PutOutcome,
  Records,
  RefreshToken,
  SigningKey,
  Store,
  StoredDocument,
  Tenant,
  WritableRecords,
} from '../../src/identity/store.ts';
import type { Field } from '../../src/query/mapping.ts';
import type { IndexName } from '../../src/query/plan.ts';

interface Tables {
  tenants: Map<string, Tenant>;
  /** By tenant and id; likewise below. */
  users: Map<string, AuthUser>;
  custom: Map<string, readonly string[]>;
  tokens: Map<string, { tenantId: string; token: PersonalAccessToken }>;
  clients: Map<string, { tenantId: string; client: OAuthClient }>;
  refreshTokens: Map<string, { tenantId: string; token: RefreshToken }>;
  signingKeys: Map<string, SigningKey>;
  /** The newest change of each document, deletions included. */
  changes: Map<string, DocumentChange>;
  fields: Map<string, { index: IndexName; field: Field }>;
  sequence: number;
}

const NO_DOCUMENTS: Readonly<Record<IndexName, number>> = {
  accessprofiles: 0,
  accountactivities: 0,
  entitlements: 0,
  events: 0,
  identities: 0,
  roles: 0,
};

/** What several stores over the same data share, as several handles on one file do. */
export class MemoryData {
  tables: Tables = emptyTables();
  queue: Promise<unknown> = Promise.resolve();
}

/** A store that forgets everything with the process. */
export class MemoryStore implements Store {
  readonly #data: MemoryData;
  readonly read: Records;
  #closed = false;
  /** Set to make the next writes fail like a store that is away. */
  failure: Error | null = null;

  constructor(data: MemoryData = new MemoryData()) {
    this.#data = data;
    this.read = new MemoryRecords(() => {
      this.#checkOpen();
      return data.tables;
    });
  }

  write<T>(work: (records: WritableRecords) => Promise<T>): Promise<T> {
    const turn = this.#data.queue.then(async () => {
      this.#checkOpen();
      if (this.failure !== null) throw this.failure;
      const draft = copyTables(this.#data.tables);
      let running = true;
      const records = new MemoryRecords(() => {
        if (!running) throw new Error('the transaction has ended');
        return draft;
      });
      try {
        const result = await work(records);
        this.#data.tables = draft;
        return result;
      } finally {
        running = false;
      }
    });
    this.#data.queue = turn.catch(() => undefined);
    return turn;
  }

  async ping(): Promise<void> {
    this.#checkOpen();
    if (this.failure !== null) throw this.failure;
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  #checkOpen(): void {
    if (this.#closed) throw new ServiceError('unavailable', 'The store is closed.');
  }

  /** Documents of an index, parsed, in the order they were last changed. */
  documents(tenantId: string, index: IndexName): Record<string, unknown>[] {
    const found: Record<string, unknown>[] = [];
    for (const change of [...this.#data.tables.changes.values()].sort(bySequence)) {
      if (change.tenantId !== tenantId || change.index !== index) continue;
      if (change.document !== null) {
        found.push(JSON.parse(new TextDecoder().decode(change.document.root)));
      }
    }
    return found;
  }
}

class MemoryRecords implements WritableRecords {
  readonly #tables: () => Tables;

  constructor(tables: () => Tables) {
    this.#tables = tables;
  }

  async tenantByName(name: string): Promise<Tenant | null> {
    return (await this.tenants()).find((tenant) => tenant.name === name) ?? null;
  }

  async tenantById(id: string): Promise<Tenant | null> {
    return this.#tables().tenants.get(id) ?? null;
  }

  async tenants(): Promise<readonly Tenant[]> {
    return [...this.#tables().tenants.values()];
  }

  async authUser(tenantId: string, id: string): Promise<AuthUser | null> {
    return this.#tables().users.get(key(tenantId, id)) ?? null;
  }

  async authUserByUid(tenantId: string, uid: string): Promise<AuthUser | null> {
    return this.#usersOf(tenantId).find((user) => user.uid === uid) ?? null;
  }

  async countHolders(tenantId: string, capability: string, exceptId: string): Promise<number> {
    return this.#usersOf(tenantId).filter(
      (user) => user.id !== exceptId && user.capabilities.includes(capability),
    ).length;
  }

  async customCapabilities(tenantId: string): Promise<readonly string[]> {
    return this.#tables().custom.get(tenantId) ?? [];
  }

  async tokenById(id: string): Promise<{ tenantId: string; token: PersonalAccessToken } | null> {
    return this.#tables().tokens.get(id) ?? null;
  }

  async tokensOf(
    tenantId: string,
    ownerId: string | null,
  ): Promise<readonly PersonalAccessToken[]> {
    return [...this.#tables().tokens.values()]
      .filter((row) => row.tenantId === tenantId)
      .map((row) => row.token)
      .filter((token) => ownerId === null || token.ownerId === ownerId)
      .sort(byCreation);
  }

  async clientById(id: string): Promise<{ tenantId: string; client: OAuthClient } | null> {
    return this.#tables().clients.get(id) ?? null;
  }

  async refreshToken(hash: string): Promise<{ tenantId: string; token: RefreshToken } | null> {
    return this.#tables().refreshTokens.get(hash) ?? null;
  }

  async signingKeys(): Promise<readonly SigningKey[]> {
    return [...this.#tables().signingKeys.values()].sort(byCreation);
  }

  async document(tenantId: string, index: IndexName, id: string): Promise<StoredDocument | null> {
    return this.#tables().changes.get(key(tenantId, index, id))?.document ?? null;
  }

  async documentCounts(tenantId: string): Promise<Readonly<Record<IndexName, number>>> {
    const counts = { ...NO_DOCUMENTS };
    for (const change of this.#tables().changes.values()) {
      if (change.tenantId === tenantId && change.document !== null) counts[change.index]++;
    }
    return counts;
  }

  async dynamicFields(
    tenantId: string,
  ): Promise<readonly { readonly index: IndexName; readonly field: Field }[]> {
    return [...this.#tables().fields]
      .filter(([name]) => name.startsWith(`${tenantId} `))
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, field]) => field);
  }

  async fieldsVersion(tenantId: string): Promise<number> {
    return (await this.dynamicFields(tenantId)).length;
  }

  async changesAfter(sequence: number, limit: number): Promise<readonly DocumentChange[]> {
    return [...this.#tables().changes.values()]
      .filter((change) => change.sequence > sequence)
      .sort(bySequence)
      .slice(0, limit);
  }

  async lastSequence(): Promise<number> {
    return this.#tables().sequence;
  }

  async addTenant(tenant: Tenant): Promise<void> {
    if (await this.tenantByName(tenant.name)) throw new Error(`tenant ${tenant.name} exists`);
    addNew(this.#tables().tenants, tenant.id, tenant);
  }

  async putAuthUsers(tenantId: string, users: readonly AuthUser[]): Promise<readonly PutOutcome[]> {
    return users.map((user) => {
      const rows = this.#tables().users;
      const before = rows.get(key(tenantId, user.id));
      rows.set(key(tenantId, user.id), user);
      if (before === undefined) return 'created';
      return isDeepStrictEqual(before, user) ? 'unchanged' : 'updated';
    });
  }

  async setCapabilities(
    tenantId: string,
    id: string,
    capabilities: readonly string[],
  ): Promise<void> {
    const user = await this.authUser(tenantId, id);
    if (user !== null) this.#tables().users.set(key(tenantId, id), { ...user, capabilities });
  }

  async addCustomCapability(tenantId: string, capability: string): Promise<void> {
    const held = await this.customCapabilities(tenantId);
    this.#tables().custom.set(tenantId, [...new Set([...held, capability])].sort());
  }

  async addToken(tenantId: string, token: PersonalAccessToken): Promise<void> {
    addNew(this.#tables().tokens, token.id, { tenantId, token });
  }

  async updateToken(tenantId: string, token: PersonalAccessToken): Promise<void> {
    const row = this.#tables().tokens.get(token.id);
    if (row?.tenantId === tenantId) this.#tables().tokens.set(token.id, { tenantId, token });
  }

  async deleteToken(tenantId: string, id: string): Promise<boolean> {
    const row = this.#tables().tokens.get(id);
    return row?.tenantId === tenantId && this.#tables().tokens.delete(id);
  }

  async addClient(tenantId: string, client: OAuthClient): Promise<void> {
    addNew(this.#tables().clients, client.id, { tenantId, client });
  }

  async addRefreshToken(tenantId: string, token: RefreshToken): Promise<void> {
    addNew(this.#tables().refreshTokens, token.hash, { tenantId, token });
  }

  async spendRefreshToken(hash: string): Promise<boolean> {
    return this.#tables().refreshTokens.delete(hash);
  }

  async addSigningKey(signingKey: SigningKey): Promise<void> {
    addNew(this.#tables().signingKeys, signingKey.kid, signingKey);
  }

  async putDocuments(
    tenantId: string,
    documents: readonly StoredDocument[],
  ): Promise<readonly PutOutcome[]> {
    return documents.map((document) => {
      const before = this.#tables().changes.get(key(tenantId, document.index, document.id));
      if (before?.document && sameDocument(before.document, document)) return 'unchanged';
      this.#change(tenantId, document.index, document.id, document);
      return before?.document ? 'updated' : 'created';
    });
  }

  async deleteDocument(tenantId: string, index: IndexName, id: string): Promise<boolean> {
    if ((await this.document(tenantId, index, id)) === null) return false;
    this.#change(tenantId, index, id, null);
    return true;
  }

  async addDynamicFields(
    tenantId: string,
    index: IndexName,
    fields: readonly Field[],
  ): Promise<void> {
    const rows = this.#tables().fields;
    for (const field of fields) {
      const name = key(tenantId, index, field.path);
      if (!rows.has(name)) rows.set(name, { index, field });
    }
  }

  #usersOf(tenantId: string): AuthUser[] {
    return [...this.#tables().users]
      .filter(([name]) => name.startsWith(`${tenantId} `))
      .map(([, user]) => user);
  }

  #change(tenantId: string, index: IndexName, id: string, document: StoredDocument | null): void {
    const tables = this.#tables();
    tables.sequence++;
    const change = { sequence: tables.sequence, tenantId, index, id, document };
    tables.changes.set(key(tenantId, index, id), change);
  }
}

function emptyTables(): Tables {
  return {
    tenants: new Map(),
    users: new Map(),
    custom: new Map(),
    tokens: new Map(),
    clients: new Map(),
    refreshTokens: new Map(),
    signingKeys: new Map(),
    changes: new Map(),
    fields: new Map(),
    sequence: 0,
  };
}

/** Rows are never changed in place, so copying the maps is enough. */
function copyTables(tables: Tables): Tables {
  return {
    tenants: new Map(tables.tenants),
    users: new Map(tables.users),
    custom: new Map(tables.custom),
    tokens: new Map(tables.tokens),
    clients: new Map(tables.clients),
    refreshTokens: new Map(tables.refreshTokens),
    signingKeys: new Map(tables.signingKeys),
    changes: new Map(tables.changes),
    fields: new Map(tables.fields),
    sequence: tables.sequence,
  };
}

function sameDocument(one: StoredDocument, other: StoredDocument): boolean {
  const hashes = [one, other].map((it) => it.hash ?? documentHash(it.root, it.nested));
  return Buffer.from(hashes[0] ?? []).equals(hashes[1] ?? new Uint8Array(0));
}

function addNew<T>(rows: Map<string, T>, name: string, row: T): void {
  if (rows.has(name)) throw new Error(`${name} exists already`);
  rows.set(name, row);
}

function key(...parts: string[]): string {
  return parts.join(' ');
}

function byCreation(one: { created: string }, other: { created: string }): number {
  return Date.parse(one.created) - Date.parse(other.created);
}

function bySequence(one: DocumentChange, other: DocumentChange): number {
  return one.sequence - other.sequence;
}
