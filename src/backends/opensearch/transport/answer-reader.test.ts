import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BufferPool } from '../../../json/buffer-pool.ts';
import { AnswerReader, type HttpAnswer } from './answer-reader.ts';

const LONG = 'x'.repeat(200_000);
const BODY = '{"took":1}';

/** Gives the reader some bytes in pieces of at most this size. */
function read(reader: AnswerReader, text: string, pieceBytes: number): HttpAnswer | null {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    const place = reader.place();
    const piece = bytes.subarray(at, at + Math.min(pieceBytes, place.length));
    place.set(piece);
    at += piece.length;
    const answer = reader.take(piece.length);
    if (answer !== null) {
      assert.equal(at, bytes.length, 'the answer was complete too early');
      return answer;
    }
  }
  return null;
}

const chunked = (...chunks: string[]) =>
  [...chunks.map((chunk) => `${chunk.length.toString(16)};x=y\r\n${chunk}\r\n`), '0\r\n'].join('');

const ANSWERS: readonly (readonly [string, string, Partial<Record<'status' | 'body', unknown>>])[] =
  [
    [
      'a body of known length',
      `HTTP/1.1 200 OK\r\nContent-Length: ${BODY.length}\r\nX: y\r\n\r\n${BODY}`,
      { status: 200, body: BODY },
    ],
    [
      'a long body',
      `HTTP/1.1 200 OK\r\ncontent-length:${LONG.length}\r\n\r\n${LONG}`,
      { status: 200, body: LONG },
    ],
    ['no body', 'HTTP/1.1 404 \r\ncontent-length: 0\r\n\r\n', { status: 404, body: '' }],
    ['a status without a body', 'HTTP/1.1 204 No Content\r\n\r\n', { status: 204, body: '' }],
    [
      'chunks',
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunked(BODY, 'z', LONG)}\r\n`,
      { status: 200, body: `${BODY}z${LONG}` },
    ],
    [
      'chunks with fields at the end',
      `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunked(BODY)}checksum: 1\r\n\r\n`,
      { status: 200, body: BODY },
    ],
    [
      'an interim answer before it',
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx`,
      { status: 200, body: 'x' },
    ],
  ];

for (const [name, text, expected] of ANSWERS) {
  test(`reads an answer with ${name}, however it is cut`, () => {
    for (const pieceBytes of [1, 2, 3, 7, 1_000, 70_000, 1_000_000]) {
      if (pieceBytes < 10 && text.length > 100_000) continue;
      const reader = new AnswerReader(new BufferPool());
      for (let time = 0; time < 2; time += 1) {
        const answer = read(reader, text, pieceBytes);
        assert.ok(answer !== null, `pieces of ${pieceBytes}`);
        const { status, body, isKeptAlive } = answer;
        assert.equal(isKeptAlive, true);
        assert.deepEqual({ status, body: String(body.bytes) }, expected);
        body.release();
      }
    }
  });
}

test('reads a body that ends with the connection', () => {
  const reader = new AnswerReader(new BufferPool());
  assert.equal(read(reader, `HTTP/1.0 200 OK\r\n\r\n${LONG}`, 9_000), null);
  const answer = reader.end();
  assert.equal(answer?.isKeptAlive, false);
  assert.equal(String(answer?.body.bytes), LONG);
});

test('does not take a body that is cut off for complete', () => {
  for (const framing of ['content-length: 100', 'transfer-encoding: chunked']) {
    const reader = new AnswerReader(new BufferPool());
    assert.equal(read(reader, `HTTP/1.1 200 OK\r\n${framing}\r\n\r\n5\r\nhello`, 1_000), null);
    assert.equal(reader.end(), null);
  }
});

test('reads what the caller needs of the head', () => {
  const text = `HTTP/1.1 503 Busy\r\nretry-after: 7\r\nconnection: close\r\ncontent-length: 1\r\n\r\nx`;
  const answer = read(new AnswerReader(new BufferPool()), text, 1_000);
  assert.equal(answer?.retryAfter, '7');
  assert.equal(answer?.isKeptAlive, false);
});

const LARGE = 'x'.repeat(3_000_000);
const LARGE_ANSWERS: readonly (readonly [string, string])[] = [
  ['known length', `HTTP/1.1 200 OK\r\ncontent-length: ${LARGE.length}\r\n\r\n${LARGE}`],
  [
    'chunks',
    `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunked(LONG, ...Array(14).fill(LONG))}\r\n`,
  ],
];
for (const [name, text] of LARGE_ANSWERS) {
  test(`counts a large body of ${name} before it is read, and no small one`, () => {
    const reader = new AnswerReader(new BufferPool());
    const countedBy = (answer: string): number => {
      let counted = 0;
      reader.memory = {
        holdBytes(bytes) {
          counted += bytes;
        },
      };
      read(reader, answer, 60_000)?.body.release();
      return counted;
    };
    const small = `HTTP/1.1 200 OK\r\ncontent-length: ${LONG.length}\r\n\r\n${LONG}`;
    for (let time = 0; time < 2; time += 1) {
      const counted = countedBy(text);
      assert.ok(counted >= LARGE.length && counted <= 2 * LARGE.length, String(counted));
      assert.equal(countedBy(small), 0);
    }
    let length = 0;
    const refusing = new AnswerReader(new BufferPool());
    refusing.memory = {
      holdBytes(bytes) {
        length = bytes;
        throw new Error('No memory');
      },
    };
    assert.throws(() => read(refusing, text, 60_000), /No memory/);
    assert.ok(length > 0);
  });
}

const INVALID: readonly (readonly [string, RegExp])[] = [
  ['SSH-2.0-OpenSSH_9.6\r\n\r\n', /not HTTP/],
  ['HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nxy', /longer/],
  ['HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 1\r\n\r\nx', /encoded/],
  ['HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n', /encoded/],
  ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n', /no size/],
  ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nxy\r\n', /longer/],
  [`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;${LONG}`, /too long/],
  [`HTTP/1.1 200 OK\r\nx: ${LONG}`, /too long/],
];

for (const [text, reason] of INVALID) {
  test(`rejects ${JSON.stringify(text.slice(0, 90))}`, () => {
    assert.throws(() => read(new AnswerReader(new BufferPool()), text, 60_000), reason);
  });
}
