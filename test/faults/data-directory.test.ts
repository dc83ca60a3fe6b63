// suite: slow
// Each path of a data directory as something that does not belong there: commands say what it is in a
// sentence, and `doctor --repair` mends what can be mended without losing anything.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type CommandLine, commandLine } from '../support/command-line.ts';
import { makeDemo, moveLogIn } from '../support/demo-data.ts';
import { eventually } from '../support/eventually.ts';
import { USER, userCommandLine } from '../support/user-process.ts';

const SPOIL = {
  directory(path) {
    rmSync(path, { recursive: true, force: true });
    mkdirSync(path, { mode: 0o700 });
  },
  'full directory'(path) {
    SPOIL.directory(path);
    writeFileSync(join(path, 'x'), 'x');
  },
  empty(path) {
    rmSync(path, { recursive: true, force: true });
    writeFileSync(path, '', { mode: 0o600 });
  },
  junk(path) {
    rmSync(path, { recursive: true, force: true });
    writeFileSync(path, 'junk '.repeat(2_000), { mode: 0o600 });
  },
  pipe(path) {
    rmSync(path, { recursive: true, force: true });
    execFileSync('mkfifo', [path]);
  },
  unreadable(path) {
    if (!existsSync(path)) writeFileSync(path, '');
    chmodSync(path, 0);
  },
} satisfies Record<string, (path: string) => void>;
type State = keyof typeof SPOIL;

/**
 * What becomes of a path in a state. `served`: nothing is wrong for a server. `refilled`: a start discards
 * the index and fills it again, as `--repair` does. `mended`: `--repair` makes it well. `person`: only a person can, and is told how.
 */
type Outcome = 'served' | 'refilled' | 'mended' | 'person';

const INDEX_FILE = {
  directory: 'mended',
  'full directory': 'mended',
  empty: 'refilled',
  junk: 'refilled',
  unreadable: 'refilled',
} as const;
const NOT_READ = {
  directory: 'served',
  empty: 'served',
  junk: 'served',
  pipe: 'served',
  unreadable: 'served',
} as const;

/** By path in the data directory; `*` stands for a file that is there. */
const PATHS: Readonly<Record<string, Partial<Readonly<Record<State, Outcome>>>>> = {
  'cardea.db': { directory: 'person', empty: 'person', junk: 'person', unreadable: 'person' },
  'cardea.db-wal': { directory: 'mended', 'full directory': 'mended', unreadable: 'person' },
  'cardea.db-shm': { directory: 'mended', 'full directory': 'mended' },
  'cardea.db-journal': { directory: 'mended', 'full directory': 'mended', empty: 'served' },
  'cardea.db.lock': {
    directory: 'mended',
    'full directory': 'mended',
    empty: 'served',
    junk: 'served',
    unreadable: 'person',
  },
  'cardea.db.restoring': {
    directory: 'served',
    'full directory': 'served',
    empty: 'served',
    junk: 'served',
  },
  'secrets.key': {
    directory: 'person',
    empty: 'person',
    junk: 'person',
    pipe: 'person',
    unreadable: 'person',
  },
  index: { empty: 'mended', junk: 'mended', unreadable: 'person' },
  'index/lock.db': {
    directory: 'mended',
    'full directory': 'mended',
    empty: 'served',
    junk: 'served',
    unreadable: 'person',
  },
  'index/manifest.json': INDEX_FILE,
  'index/manifest.json.tmp': {
    directory: 'mended',
    'full directory': 'mended',
    empty: 'served',
    junk: 'served',
  },
  'index/*.index': INDEX_FILE,
  'index/*.sources': INDEX_FILE,
  'credentials.json': { directory: 'person', junk: 'person', pipe: 'person', unreadable: 'person' },
  'last-backup.json': NOT_READ,
  'cardea.sock': NOT_READ,
  'compile-cache': { empty: 'served', junk: 'served', unreadable: 'served' },
  damaged: { empty: 'served', junk: 'served', unreadable: 'served' },
};

const folder = mkdtempSync(join(tmpdir(), 'cardea-paths-'));
const template = join(folder, 'template');

before(async () => {
  await makeDemo(template);
  assert.equal(await commandLine(['keys', 'rotate', '--data-dir', template]).ended, 0);
  await moveLogIn(template);
  chmodSync(folder, 0o755);
});
after(() => rmSync(folder, { recursive: true, force: true }));

function giveTo(user: number, path: string): void {
  chownSync(path, user, user);
  if (!lstatSync(path).isDirectory()) return;
  for (const name of readdirSync(path)) giveTo(user, join(path, name));
}

/** An error of the system or of a library that a person should not have to read. */
const RAW = /\bE[A-Z]{4,}\b|SQLITE_|ERR_|\n\s+at |undefined|\[object|illegal operation/;

function assertPlain(text: string): void {
  assert.doesNotMatch(text, RAW);
}

/** Starts a command line. */
type Start = (args: readonly string[]) => Omit<CommandLine, 'shows'>;

interface Checked {
  readonly code: number;
  readonly text: string;
}

async function doctor(start: Start, dataDir: string, ...flags: string[]): Promise<Checked> {
  const line = start(['doctor', '--data-dir', dataDir, ...flags]);
  const code = await line.ended;
  const text = line.out() + line.err();
  assertPlain(text);
  return { code, text };
}

/** Serves until it is ready, or returns the one sentence that it ends with. */
async function serveOnce(start: Start, dataDir: string): Promise<string | null> {
  const line = start(['serve', '--data-dir', dataDir, '--port', '0', '--log-level', 'warn']);
  let code: number | null = null;
  void line.ended.then((ended) => {
    code = ended;
  });
  let url: string | null = null;
  await eventually(() => {
    url = /serves at (\S+)/.exec(line.err() + line.out())?.[1] ?? null;
    assert.ok(url !== null || code !== null);
  });
  if (url === null) {
    const lines = line
      .err()
      .split('\n')
      .filter((text) => text.startsWith('error: '));
    assert.equal(code, 2, line.err());
    assert.equal(lines.length, 1, line.err());
    assertPlain(line.err());
    return lines[0] ?? '';
  }
  try {
    await eventually(async () => assert.equal((await fetch(`${url}/ready`)).status, 200));
  } finally {
    line.interrupt();
    assert.equal(await line.ended, 0, line.err());
  }
  return null;
}

function pathIn(dataDir: string, name: string): string {
  if (!name.includes('*')) return join(dataDir, name);
  const [, extension = ''] = name.split('*');
  const found = readdirSync(join(dataDir, 'index')).find((file) => file.endsWith(extension));
  return join(dataDir, 'index', found ?? assert.fail());
}

let copies = 0;
for (const [name, states] of Object.entries(PATHS)) {
  describe(`${name} of a data directory`, () => {
    for (const [state, outcome] of Object.entries(states)) {
      test(`that is ${state} is ${outcome === 'person' ? 'named' : outcome}`, async () => {
        const dataDir = join(folder, `copy-${copies++}`);
        cpSync(template, dataDir, { recursive: true });
        const path = pathIn(dataDir, name);
        SPOIL[state as State](path);
        const isUnreadable = state === 'unreadable';
        if (isUnreadable) giveTo(USER, dataDir);
        await check(dataDir, path, outcome, isUnreadable ? userCommandLine : commandLine);
        rmSync(dataDir, { recursive: true, force: true });
      });
    }
  });
}

async function check(dataDir: string, path: string, outcome: Outcome, start: Start): Promise<void> {
  const store = join(dataDir, 'cardea.db');
  const bytes = lstatSync(store).isFile() && outcome !== 'person' ? readFileSync(store) : null;
  const found = await doctor(start, dataDir);
  if (outcome === 'served') {
    assert.equal(found.code, 0, found.text);
    assert.equal(await serveOnce(start, dataDir), null);
    return;
  }
  assert.equal(found.code, 1, found.text);
  const named = outcome === 'refilled' ? 'search index' : basename(path).replace('.', '\\.');
  assert.match(found.text, new RegExp(`fault .*${named}`));
  if (outcome !== 'refilled') {
    const sentence = await serveOnce(start, dataDir);
    if (sentence !== null) assert.ok(sentence.includes(basename(path)), sentence);
  } else if (path.endsWith('.json')) assert.equal(await serveOnce(start, dataDir), null);
  if (bytes !== null) assert.deepEqual(readFileSync(store).length, bytes.length);
  const repaired = await doctor(start, dataDir, '--repair');
  if (outcome === 'person') {
    assert.match(repaired.text, /fault/);
    return;
  }
  assert.equal(repaired.code, 0, repaired.text);
  assert.equal((await doctor(start, dataDir)).code, 0);
  assert.equal(await serveOnce(start, dataDir), null);
}
