// The sites of nginx and Caddy in deploy/, in front of a server: as they are, but for ports, certificates and what a proxy
// needs to run beside others.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { type RunningService, startService } from '../support/service.ts';

const NAME = 'id.example.org';
const SPOOFED = '203.0.113.5';
const USERS = '/admin/v1/auth-users';
const folder = mkdtempSync(join(tmpdir(), 'cardea-proxies-'));
const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
const written = (name: string) => readFileSync(join('deploy', name), 'utf8');

let service: RunningService;
const proxies: ChildProcess[] = [];
before(async () => {
  const made = spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
    ...['-keyout', key, '-out', cert, '-subj', `/CN=${NAME}`, '-days', '2'],
    ...['-addext', `subjectAltName=DNS:${NAME}`],
  ]);
  assert.equal(made.status, 0, String(made.stderr));
  service = await startService({ CARDEA_TRUSTED_PROXIES: '127.0.0.1' });
});
after(async () => {
  for (const proxy of proxies) {
    if (proxy.exitCode !== null || proxy.signalCode !== null) continue;
    const exited = once(proxy, 'exit');
    proxy.kill('SIGTERM');
    await exited;
  }
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Replaces each text, which must be there. */
function replaced(text: string, pairs: Readonly<Record<string, string>>): string {
  return Object.entries(pairs).reduce((result, [from, to]) => {
    assert.ok(result.includes(from), `the configuration has no ${from}`);
    return result.replace(from, () => to);
  }, text);
}

/** Starts a proxy in front of nodes, each a host and a port. @returns its port */
type Start = (nodes: readonly string[]) => Promise<number>;

const STARTS: Readonly<Record<string, Start>> = {
  async nginx(nodes) {
    const port = await freePort();
    const server = replaced(written('nginx.conf'), {
      'listen 443 ssl': `listen 127.0.0.1:${port} ssl`,
      '/etc/ssl/id.example.org.pem': cert,
      '/etc/ssl/id.example.org.key': key,
      'server 127.0.0.1:8080;': nodes.map((node) => `server ${node};`).join(' '),
    });
    const file = join(folder, `nginx-${port}.conf`);
    const places = ['client_body', 'proxy'].map((name) => `${name}_temp_path ${folder}/${name};`);
    writeFileSync(
      file,
      `user root; daemon off; pid ${folder}/nginx-${port}.pid; error_log ${folder}/nginx.log; events {}\nhttp { access_log off; ${places.join(' ')}\n${server}}`,
    );
    proxies.push(spawn('nginx', ['-c', file, '-e', `${folder}/nginx.log`], { stdio: 'ignore' }));
    return port;
  },
  async Caddy(nodes) {
    const port = await freePort();
    const text = written('Caddyfile');
    const site = replaced(nodes.length > 1 ? text.replaceAll(/^\t\t#/gm, '\t\t') : text, {
      'id.example.org {': `{\n\tadmin off\n\tauto_https disable_redirects\n}\n\nhttps://${NAME}:${port} {\n\tbind 127.0.0.1\n\ttls ${cert} ${key}`,
      '127.0.0.1:8080': nodes.join(' '),
    });
    const file = join(folder, `Caddyfile-${port}`);
    writeFileSync(file, site);
    const args = ['run', '--adapter', 'caddyfile', '--config', file];
    const env = { PATH: process.env['PATH'], HOME: folder, XDG_DATA_HOME: folder };
    proxies.push(spawn('caddy', args, { stdio: 'ignore', env }));
    return port;
  },
};

interface Sent {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Record<string, string>;
}

/** A request to the proxy as a client sends it who claims to be somebody else. */
function ask(port: number, path: string, { method = 'GET', body, headers = {} }: Sent = {}) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const sent = request({
      ...{ host: '127.0.0.1', port, path, method, servername: NAME, ca: readFileSync(cert) },
      headers: {
        host: `${NAME}:${port}`,
        'x-forwarded-for': SPOOFED,
        forwarded: `for=${SPOOFED};host=evil.example`,
        ...headers,
      },
    });
    sent.once('error', reject).once('response', (answer) => {
      const parts: Buffer[] = [];
      answer
        .on('data', (part: Buffer) => parts.push(part))
        .once('error', reject)
        .once('end', () =>
          resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString() }),
        );
    });
    sent.end(body);
  });
}

for (const [name, start] of Object.entries(STARTS)) {
  test(`behind ${name} the service knows address and protocol of the client, and takes long imports`, async () => {
    const port = await start([new URL(service.url).host]);
    await eventually(async () => assert.equal((await ask(port, '/health')).status, 200));
    const info = await ask(port, '/oauth/info');
    assert.ok(info.text.includes(`"https://${NAME}:${port}`), info.text);
    assert.ok(!info.text.includes('evil.example'), info.text);

    const headers = {
      authorization: `Bearer ${await service.token()}`,
      'content-type': 'application/json',
    };
    const made = await ask(port, USERS, {
      ...{ method: 'POST', headers, body: JSON.stringify({ uid: `of ${name}` }) },
    });
    assert.equal(made.status, 201, made.text);
    const { id } = JSON.parse(made.text) as { id: string };
    const history = await ask(port, `${USERS}/${id}/history`, { headers });
    assert.ok(history.text.includes('"127.0.0.1"'), history.text);
    assert.ok(!history.text.includes(SPOOFED), history.text);

    const lines = Array.from({ length: 3_000 }, (_, nth) =>
      JSON.stringify({ id: `${name}${nth}`, uid: `${name}${nth}`, displayName: 'x'.repeat(900) }),
    );
    const body = lines.join('\n');
    const imported = await ask(port, USERS, {
      ...{ method: 'POST', body, headers: { ...headers, 'content-type': 'application/x-ndjson' } },
    });
    assert.equal(imported.status, 200, imported.text);
    assert.equal((JSON.parse(imported.text) as { created: number }).created, 3_000);
  });
  test(`${name} passes over a node that is down, also for changes`, async () => {
    const port = await start([`127.0.0.1:${await freePort()}`, new URL(service.url).host]);
    await eventually(async () => assert.equal((await ask(port, '/health')).status, 200));
    const authorization = `Bearer ${await service.token()}`;
    let tried = 0;
    // Caddy up to 2.11.1 sends no request with a body again: it has to notice first that the node is down.
    await eventually(async () => {
      for (const end = tried + 6; tried < end; ) {
        const made = await ask(port, USERS, {
          method: 'POST',
          headers: { authorization, 'content-type': 'application/json' },
          body: JSON.stringify({ uid: `${tried++} behind ${name}` }),
        });
        assert.equal(made.status, 201, made.text);
      }
    });
  });
}
