import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { listenOnSocket, SOCKET, socketAddress } from './local-socket.ts';

const folder = mkdtempSync(join(tmpdir(), 'cardea-socket-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A new directory that others may enter, so that the mode of the socket itself counts. */
function directory(name = 'data'): string {
  const path = join(mkdtempSync(join(folder, 'd-')), name);
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o755);
  return path;
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  await closed;
}

/** What a server answers that listens on the socket of a directory. */
async function answerIn(dataDir: string): Promise<string> {
  const address = socketAddress(dataDir);
  assert.ok(address);
  try {
    const socket = connect(address.path);
    const [text] = await once(socket, 'data');
    socket.destroy();
    return String(text);
  } finally {
    address.close();
  }
}

const answering = (text: string) =>
  createServer((socket) => {
    // Who only looks whether somebody listens does not read.
    socket.on('error', () => {});
    socket.end(text);
  });

describe('a server on the socket of a data directory', () => {
  const PATHS = { short: 'data', 'longer than an address of a socket': 'x'.repeat(120) };
  for (const [length, name] of Object.entries(PATHS)) {
    test(`is found by its directory, whose path is ${length}`, async () => {
      const dataDir = directory(name);
      const server = answering('hello');
      const address = await listenOnSocket(server, dataDir);
      assert.ok(typeof address === 'object', String(address));
      assert.equal(lstatSync(join(dataDir, SOCKET)).mode & 0o777, 0o600);
      assert.equal(await answerIn(dataDir), 'hello');
      await close(server);
      address.close();
      assert.deepEqual(readdirSync(dataDir), []);
    });
  }

  test('leaves the mode of what else is created as it was', async () => {
    const before = process.umask();
    const server = answering('');
    await listenOnSocket(server, directory());
    assert.equal(process.umask(), before);
    await close(server);
  });

  test('takes the place of one that was killed', async () => {
    const dataDir = directory();
    const path = join(dataDir, SOCKET);
    const killed = answering('old');
    killed.listen(join(dataDir, 'other'));
    await once(killed, 'listening');
    // A server that is killed removes nothing.
    renameSync(join(dataDir, 'other'), path);
    await close(killed);
    assert.ok(lstatSync(path).isSocket());
    const server = answering('new');
    assert.ok(typeof (await listenOnSocket(server, dataDir)) === 'object');
    assert.equal(await answerIn(dataDir), 'new');
    await close(server);
  });

  test('leaves one alone that answers', async () => {
    const dataDir = directory();
    const [first, second] = [answering('first'), answering('second')];
    assert.ok(typeof (await listenOnSocket(first, dataDir)) === 'object');
    assert.equal(await listenOnSocket(second, dataDir), 'another server listens there');
    assert.equal(await answerIn(dataDir), 'first');
    await close(first);
  });

  const IN_PLACE: Readonly<Record<string, (path: string, elsewhere: string) => void>> = {
    'a file': (path) => writeFileSync(path, 'mine'),
    'a directory': (path) => mkdirSync(path),
    'a link to a file': (path, elsewhere) => symlinkSync(elsewhere, path),
    'a link to nothing': (path, elsewhere) => symlinkSync(`${elsewhere}-none`, path),
  };
  for (const [what, put] of Object.entries(IN_PLACE)) {
    test(`neither follows nor removes ${what} in its place`, async () => {
      const dataDir = directory();
      const elsewhere = join(directory(), 'file');
      writeFileSync(elsewhere, 'theirs');
      const path = join(dataDir, SOCKET);
      put(path, elsewhere);
      const kind = lstatSync(path).mode;
      assert.match(
        String(await listenOnSocket(answering(''), dataDir)),
        /something else is in its/,
      );
      assert.equal(lstatSync(path).mode, kind);
      assert.equal(readFileSync(elsewhere, 'utf8'), 'theirs');
      assert.equal(existsSync(`${elsewhere}-none`), false);
    });
  }
});
