// The store contract on SQLite.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { openSqliteStore } from '../../src/store/sqlite-store.ts';
import { profileContract } from './profiles.ts';
import { resourceContract } from './resources.ts';
import { storeContract } from './store.ts';

const directory = mkdtempSync(join(tmpdir(), 'cardea-store-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const open = (name: string) => openSqliteStore({ path: join(directory, `${name}.db`) });
storeContract('SQLite', open);
resourceContract('SQLite', open);
profileContract('SQLite', open);
