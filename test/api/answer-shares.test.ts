// suite: slow
// Callers that do not read their answers, or send much at once, beside others: the memory that they hold is theirs.
// The bounds are set low, so that few requests reach them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { ServiceError } from '../../src/errors.ts';
import type { Services } from '../../src/http/app.ts';
import type { HttpSettings } from '../../src/http/options.ts';
import type { SourceLine } from '../../src/json/json-source.ts';
import type { ImportOptions } from '../../src/service/imports/documents.ts';
import { eventually } from '../support/eventually.ts';
import { fakeApp, IMPORTED_NOTHING } from './fakes.ts';
import { ask, connections, head, statusOf, tokens } from './raw-requests.ts';
import { serving } from './wire.ts';

const LARGE = Buffer.alloc(16 * 1024 * 1024, 0x20);
const UNREAD: Partial<HttpSettings> = { answerMemory: 64 * 1024 * 1024, callerShare: 1 };

test('answers that are not read count for who asked, and others get theirs', () =>
  serving(
    async ({ port }) => {
      const unread = connections();
      const asks = (token: string) => {
        const wire = unread.open(port, `${head('POST', '/v3/search', token, 2)}{}`);
        wire.socket.pause();
      };
      const refusal = async () => {
        const wire = await ask(port, `${head('POST', '/v3/search', 'a.2', 2)}{}`);
        const status = statusOf(wire);
        wire.socket.destroy();
        assert.equal(status, '503');
        assert.match(wire.heard, /this tenant/);
      };
      for (let n = 0; n < 2; n++) asks('a.1');
      await eventually(refusal);
      const other = await ask(port, `${head('POST', '/v3/search', 'b.1', 2)}{}`);
      assert.equal(statusOf(other), '200');
      other.socket.destroy();
      unread.end();
      // What a connection held is free when it has ended.
      await eventually(async () => {
        const again = await ask(port, `${head('POST', '/v3/search', 'a.1', 2)}{}`);
        again.socket.destroy();
        assert.equal(statusOf(again), '200');
      });
    },
    { tokens, search: { search: async () => ({ total: null, body: [LARGE], warnings: [] }) } },
    UNREAD,
  ));

/** Searches that hold a page, and wait for the test before they answer with it. */
function pendingPages() {
  const ends: (() => void)[] = [];
  const search: Services['search']['search'] = async (_caller, _body, _page, waiter) => {
    waiter?.memory?.holdBytes(LARGE.length);
    await new Promise<void>((resolve) => ends.push(resolve));
    return { total: null, body: [LARGE], warnings: [] };
  };
  return { ends, search };
}

test('a page counts before it is read, and is not counted again when it is sent', () => {
  const { ends, search } = pendingPages();
  return serving(
    async ({ port }) => {
      const request = (token: string) => `${head('POST', '/v3/search', token, 2)}{}`;
      const pending = connections();
      const pages = ['a.1', 'a.1', 'b.1'].map((token) => pending.open(port, request(token)));
      await eventually(() => assert.equal(ends.length, 3));
      const refused = await ask(port, request('a.2'));
      refused.socket.destroy();
      assert.equal(statusOf(refused), '503');
      assert.match(refused.heard, /this tenant/);
      for (const end of ends.splice(0)) end();
      for (const page of pages) {
        await page.until(() => page.heard.length > LARGE.length, 'the whole page');
        assert.equal(statusOf(page), '200');
      }
      // What was delivered is free again.
      await eventually(() => {
        pending.open(port, request('a.2'));
        assert.ok(ends.length > 0);
      });
      pending.end();
      for (const end of ends) end();
    },
    { tokens, search: { search } },
    UNREAD,
  );
});

test('a page that is larger than a share is sent, although it counts before it is read', () => {
  const pieces = [LARGE, LARGE, LARGE.subarray(0, LARGE.length / 2)];
  return serving(
    async ({ port }) => {
      for (let n = 0; n < 3; n++) {
        const page = await ask(port, `${head('POST', '/v3/search', 'a.1', 2)}{}`);
        assert.equal(statusOf(page), '200', page.heard.slice(0, 500));
        await page.until(() => page.heard.length > 2.5 * LARGE.length, 'the whole page');
        page.socket.destroy();
      }
    },
    {
      tokens,
      search: {
        async search(_caller, _body, _page, waiter) {
          // Rows have a few bytes more than their documents, and a page may be read in parts.
          waiter?.memory?.holdBytes(LARGE.length);
          waiter?.memory?.holdBytes(1.5 * LARGE.length - 1);
          return { total: null, body: pieces, warnings: [] };
        },
      },
    },
    { answerMemory: 4 * LARGE.length },
  );
});

test('a page of which little is sent leaves room for others while it is read', () => {
  const ends: (() => void)[] = [];
  return serving(
    async ({ port }) => {
      const reading = connections();
      reading.open(port, `${head('POST', '/v3/search', 'a.1', 2)}{}`);
      await eventually(() => assert.equal(ends.length, 1));
      for (const token of ['a.2', 'b.1']) {
        const other = await ask(port, `${head('POST', '/v3/search/count', token, 2)}{}`);
        other.socket.destroy();
        assert.notEqual(statusOf(other), '503', other.heard);
      }
      for (const end of ends) end();
      reading.end();
    },
    {
      tokens,
      search: {
        async search(_caller, _body, _page, waiter) {
          waiter?.memory?.holdBytes(100 * LARGE.length);
          await new Promise<void>((resolve) => ends.push(resolve));
          return { total: null, body: [Buffer.from('[]')], warnings: [] };
        },
      },
    },
    { answerMemory: 4 * LARGE.length },
  );
});

test('what a search held is free when it fails or its client hangs up', () => {
  const { ends, search } = pendingPages();
  let fails = true;
  return serving(
    async ({ port }) => {
      const request = `${head('POST', '/v3/search', 'a.1', 2)}{}`;
      for (let n = 0; n < 8; n++) {
        const failed = await ask(port, request);
        assert.equal(statusOf(failed), '400', failed.heard);
        failed.socket.destroy();
      }
      fails = false;
      const gone = connections();
      for (let n = 0; n < 2; n++) gone.open(port, request);
      await eventually(() => assert.equal(ends.length, 2));
      gone.end();
      const next = connections();
      await eventually(() => {
        next.open(port, request);
        assert.equal(ends.length, 3);
      });
      next.end();
      for (const end of ends) end();
    },
    {
      tokens,
      search: {
        async search(...request) {
          if (!fails) return search(...request);
          request[3]?.memory?.holdBytes(LARGE.length);
          throw new ServiceError('request_invalid', 'No.');
        },
      },
    },
    UNREAD,
  );
});

test('an answer that is taken too slowly is cut off when its memory is needed', () =>
  serving(
    async ({ port }) => {
      const unread = connections();
      const slow = [1, 2].map(() => {
        const wire = unread.open(port, `${head('POST', '/v3/search', 'a.1', 2)}{}`);
        wire.socket.pause();
        return wire;
      });
      await eventually(async () => {
        const next = await ask(port, `${head('POST', '/v3/search', 'a.2', 2)}{}`);
        next.socket.destroy();
        assert.equal(statusOf(next), '200');
        for (const { socket } of slow) socket.resume();
        assert.ok(slow.some(({ closed }) => closed));
      });
      unread.end();
    },
    { tokens, search: { search: async () => ({ total: null, body: [LARGE], warnings: [] }) } },
    { ...UNREAD, stallMs: 100, leastAnswerRate: 1024 ** 3 },
  ));

test('lists that the framework sends are counted as answers, too', () => {
  const rows = Array.from({ length: 16 }, (_, n) => ({
    id: String(n),
    text: LARGE.toString('latin1', 0, 1024 ** 2),
  }));
  return serving(
    async ({ port }) => {
      const unread = connections();
      const request = 'GET /api/profiles HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a.1\r\n\r\n';
      for (let n = 0; n < 2; n++) unread.open(port, request).socket.pause();
      await eventually(async () => {
        const wire = await ask(port, request);
        wire.socket.destroy();
        assert.equal(statusOf(wire), '503');
      });
      unread.end();
    },
    { tokens, profiles: { list: async () => ({ rows, total: 16 }) } },
    UNREAD,
  );
});

test('unfinished lines of compressed imports count as memory of their tenant', () => {
  const pending: (() => void)[] = [];
  const importDocuments = async (_caller: unknown, lines: AsyncIterable<SourceLine>) => {
    for await (const _ of lines) await new Promise<void>((resolve) => pending.push(resolve));
    return IMPORTED_NOTHING;
  };
  const bomb = gzipSync(Buffer.alloc(4 * 1024 * 1024, 0x61));
  // All but the last bytes: the line stays unfinished.
  const part = bomb.subarray(0, bomb.length - 12);
  return serving(
    async ({ port }) => {
      const imports = connections();
      const starts = (token: string) => {
        const gzip = 'Content-Encoding: gzip\r\n';
        const wire = imports.open(
          port,
          head('POST', '/admin/v1/documents', token, bomb.length, gzip),
        );
        wire.socket.write(part);
        return wire;
      };
      const wires = [1, 2, 3, 4].map(() => starts('a.1'));
      await eventually(() => {
        const refused = wires.filter((wire) => statusOf(wire) === '503');
        assert.ok(refused.length >= 2, String(refused.length));
      });
      const other = starts('b.1');
      other.socket.write(bomb.subarray(part.length));
      await eventually(() => assert.equal(pending.length, 1));
      pending[0]?.();
      await other.until(() => statusOf(other) === '200', 'an import of another tenant');
      imports.end();
    },
    { tokens, documents: { importDocuments } },
    { bodyMemory: 16 * 1024 * 1024, callerShare: 1 },
  );
});

test('lines of imports that wait for their transaction count as memory of their tenant', async () => {
  const holds: NonNullable<ImportOptions['hold']>[] = [];
  const importDocuments = async (
    _caller: unknown,
    _lines: unknown,
    { hold }: ImportOptions = {},
  ) => {
    assert.ok(hold);
    holds.push(hold);
    return IMPORTED_NOTHING;
  };
  // A quarter of the memory for bodies: 1,000,000 bytes, of which a tenant that is alone has half.
  const limits = { bodyMemory: 4_000_000, callerShare: 1 };
  const app = fakeApp({ tokens, documents: { importDocuments } }, limits);
  for (const token of ['a.1', 'a.2', 'b.1']) {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    await app.inject({ method: 'POST', url: '/admin/v1/documents', headers, payload: '[]' });
  }
  await app.close();
  const [first, second, other] = holds;
  assert.ok(first && second && other);
  assert.equal(first(400_000), true);
  assert.equal(second(400_000), false, 'its tenant has its share');
  assert.equal(first(450_000), true);
  assert.equal(other(200_000), true);
  assert.equal(first(0), true);
  assert.equal(second(400_000), true);
  for (const hold of [second, other]) hold(0);
});
