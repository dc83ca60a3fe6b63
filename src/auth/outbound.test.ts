// Which addresses may be fetched, and how failed responses are reported.
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import ipaddr from 'ipaddr.js';
import { collectGarbage } from '../../test/support/garbage.ts';
import { ServiceError } from '../errors.ts';
import { isPublicAddress, outboundJson, outboundPost, outboundSender } from './outbound.ts';

/** Every block of IANA's registries of special-purpose addresses, and multicast. */
const SPECIAL_BLOCKS = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.0.0/29', '192.0.0.8/32', '192.0.0.9/32', '192.0.0.10/32'],
  ...['192.0.0.170/31', '192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24'],
  ...['192.168.0.0/16', '192.175.48.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4', '255.255.255.255/32'],
  ...[
    '::/128',
    '::1/128',
    '::/96',
    '::ffff:0:0:0/96',
    '64:ff9b::/96',
    '64:ff9b:1::/48',
    '100::/64',
  ],
  ...[
    '100:0:0:1::/64',
    '2001::/23',
    '2001::/32',
    '2001:1::1/128',
    '2001:1::2/128',
    '2001:1::3/128',
  ],
  ...['2001:2::/48', '2001:3::/32', '2001:4:112::/48', '2001:10::/28', '2001:20::/28'],
  ...['2001:30::/28', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20', '5f00::/16'],
  ...['fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
  // Not allocated.
  ...['200::/7', '4000::/3', 'e000::/4'],
];
for (const block of SPECIAL_BLOCKS) {
  test(`no address of ${block} is public`, () => {
    const family = ipaddr.parseCIDR(block)[0].kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
    const first = family.networkAddressFromCIDR(block).toString();
    const last = family.broadcastAddressFromCIDR(block).toString();
    assert.deepEqual([first, last].filter(isPublicAddress), []);
    if (family === ipaddr.IPv4)
      assert.ok(![first, last].some((v4) => isPublicAddress(`::ffff:${v4}`)));
  });
}

const NOT_PUBLIC = [
  ...[
    '::ffff:0:127.0.0.1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '64:ff9b::127.0.0.1',
  ],
  ...['2002:7f00:1::', '2001:0:7f00:1::', 'fe80::1%eth0', 'localhost', '2130706433', '127.1', ''],
];
for (const address of NOT_PUBLIC) {
  test(`"${address}" is not public`, () => assert.equal(isPublicAddress(address), false));
}

/** Most of them are next to a special block. */
const PUBLIC = [
  ...['1.0.0.0', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0'],
  ...['126.255.255.255', '128.0.0.0', '169.253.255.255', '169.255.0.0', '172.15.255.255'],
  ...['172.32.0.0', '191.255.255.255', '192.0.1.0', '192.0.3.0', '192.88.98.255', '192.88.100.0'],
  ...['192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0', '198.51.99.255'],
  ...['198.51.101.0', '203.0.112.255', '203.0.114.0', '223.255.255.255'],
  ...['2001:200::', '2001:db7:ffff::', '2001:db9::', '2001:4860:4860::8888', '2003::'],
  ...['2606:4700::1111', '2620:4f:7fff::', '2a00:1450::1', '::ffff:1.1.1.1', '::ffff:808:808'],
];
for (const address of PUBLIC) {
  test(`${address} is public`, () => assert.equal(isPublicAddress(address), true));
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
  response.writeHead(200).write('{', () => response.socket?.end());
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
    (url) => assert.rejects(impatient(url), /: no complete answer within 0\.1 s$/),
  );
});

test('rejects a response that arrives byte by byte before its own timeout, which is shorter', async () => {
  const drip: RequestListener = (_, response) => {
    const timer = setInterval(() => response.write('x'), 20);
    response.on('close', () => clearInterval(timer));
  };
  const sender = outboundSender({ allowPrivateAddresses: true, timeoutMs: 60_000 });
  await withServer(drip, (url) =>
    assert.rejects(sender.send(url, { method: 'GET', headers: {}, timeoutMs: 200 }), {
      message: `Could not fetch ${url.origin}: no complete answer within 0.2 s`,
    }),
  );
  sender.end();
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
