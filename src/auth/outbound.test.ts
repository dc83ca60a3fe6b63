// Which addresses may be fetched, and how failed responses are reported.
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { collectGarbage } from '../../test/support/garbage.ts';
import { ServiceError } from '../errors.ts';
import { isPrivateAddress, outboundJson, outboundPost } from './outbound.ts';

const PRIVATE = [
  ...['127.0.0.1', '127.9.9.9', '0.0.0.0', '10.1.2.3', '172.16.0.1', '172.31.255.255'],
  ...['192.168.1.1', '169.254.169.254', '100.64.0.1', '224.0.0.1', '255.255.255.255'],
  ...['::1', '::', 'fe80::1', 'fc00::1', 'fd12::1', 'ff02::1', '::ffff:127.0.0.1'],
  ...['::ffff:10.0.0.1', '64:ff9b::7f00:1', '2002:7f00:1::', '2002:c0a8:101::', 'localhost', ''],
];
const PUBLIC = ['1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '::ffff:1.1.1.1'];

for (const address of PRIVATE) {
  test(`"${address}" is not public`, () => assert.equal(isPrivateAddress(address), true));
}
for (const address of PUBLIC) {
  test(`${address} is public`, () => assert.equal(isPrivateAddress(address), false));
}

const publicOnly = outboundJson({ allowPrivateAddresses: false });

for (const url of [
  'http://example.com/keys',
  'https://127.0.0.1/keys',
  'https://2130706433/keys',
  'https://0x7f.1/keys',
  'https://[::1]/keys',
  'https://[::ffff:127.0.0.1]/keys',
  'https://localhost/keys',
  'file:///etc/passwd',
  'data:application/json,{}',
]) {
  test(`refuses ${url}`, async () => {
    await assert.rejects(
      publicOnly(new URL(url)),
      (error: unknown) =>
        error instanceof ServiceError && /only https|not public/.test(error.message),
    );
  });
}

async function withServer<T>(
  listener: RequestListener,
  work: (url: URL) => Promise<T>,
): Promise<T> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await work(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`));
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const cutOff: RequestListener = (_, response) => {
  response.writeHead(200).write('{');
  setTimeout(() => response.destroy(), 20);
};

const fetchAny = outboundJson({ allowPrivateAddresses: true, timeoutMs: 30_000, maxBytes: 1000 });
const ANSWERS: readonly (readonly [name: string, listener: RequestListener, reason: RegExp])[] = [
  ['a redirect', (_, res) => void res.writeHead(302, { location: '/x' }).end(), /302/],
  ['an error', (_, res) => void res.writeHead(500).end(), /500/],
  ['a body that is not JSON', (_, res) => void res.end('<html>'), /not JSON/],
  ['too large a body', (_, res) => void res.end('x'.repeat(5000)), /too large/],
  ['a truncated body', cutOff, /./],
];

for (const [name, listener, reason] of ANSWERS) {
  test(`rejects a response with ${name}`, async () => {
    await withServer(listener, (url) =>
      assert.rejects(
        fetchAny(url),
        (error: unknown) => error instanceof ServiceError && reason.test(error.message),
      ),
    );
  });
}

test('names the origin of an address in its messages, and nothing that may be a secret', async () => {
  await withServer(
    (_, response) => void response.writeHead(500).end(),
    (url) =>
      assert.rejects(fetchAny(new URL('/hooks/s3cret?token=s3cret', url)), {
        message: `Could not fetch ${url.origin}: it answered 500`,
      }),
  );
});

test('rejects a response that does not come before the timeout', async () => {
  const impatient = outboundJson({ allowPrivateAddresses: true, timeoutMs: 100 });
  await withServer(
    () => undefined,
    (url) => assert.rejects(impatient(url), /abort|timeout/i),
  );
});

test('fetches from private addresses when they are allowed', async () => {
  const answer = await withServer((_, res) => void res.end('{"keys":[]}'), fetchAny);
  assert.deepEqual(answer, { keys: [] });
});

const posting = outboundPost({ allowPrivateAddresses: true, timeoutMs: 30_000 });

test('posts a body with its headers and accepts any 2xx', async () => {
  const requests: unknown[] = [];
  await withServer(
    (request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        requests.push([request.method, request.headers['content-type'], body]);
        response.writeHead(202).end();
      });
    },
    (url) => posting(url, 'line\n', { 'content-type': 'application/x-ndjson' }),
  );
  assert.deepEqual(requests, [['POST', 'application/x-ndjson', 'line\n']]);
});

const STALLED: readonly (readonly [name: string, listener: RequestListener])[] = [
  ['is never answered', () => undefined],
  ['is answered without an end', (_, response) => void response.writeHead(200).write('x')],
];
for (const [name, listener] of STALLED) {
  const timeout = 60_000;
  test(`a post that ${name} ends after its time, and with its caller`, { timeout }, async () => {
    const caller = new AbortController();
    const { signal } = caller;
    let isAsked = (): void => {};
    const asked = () =>
      new Promise<void>((resolve) => {
        isAsked = resolve;
      });
    const listening: RequestListener = (request, response) => {
      listener(request, response);
      isAsked();
    };
    await withServer(listening, async (url) => {
      const impatient = outboundPost({ allowPrivateAddresses: true, timeoutMs: 1_000 });
      let arrival = asked();
      const late = assert.rejects(impatient(url, 'x', {}, signal), { code: 'unavailable' });
      await arrival;
      await collectGarbage();
      await late;
      assert.equal(getEventListeners(signal, 'abort').length, 0);
      arrival = asked();
      const cancelled = assert.rejects(posting(url, 'x', {}, signal), { code: 'unavailable' });
      await arrival;
      caller.abort();
      await cancelled;
    });
  });
}

for (const status of [301, 400, 500]) {
  test(`rejects a post with status ${status}, and follows no redirect`, async () => {
    let count = 0;
    await withServer(
      (_, response) => {
        count++;
        response.writeHead(status, { location: '/elsewhere' }).end();
      },
      (url) =>
        assert.rejects(posting(url, 'x', {}), { message: new RegExp(`it answered ${status}`) }),
    );
    assert.equal(count, 1);
  });
}

test('posts nothing to private addresses unless they are allowed', async () => {
  const refused = outboundPost({ allowPrivateAddresses: false });
  for (const url of ['https://127.0.0.1/audit', 'https://localhost/audit', 'http://example.com/']) {
    await assert.rejects(refused(new URL(url), 'x', {}), /only https|not public/);
  }
});
