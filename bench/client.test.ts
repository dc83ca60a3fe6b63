// The client of the benchmark must find the end of a response, however it is framed and split;
// otherwise its figures are wrong.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { Connection, wireRequest } from './client.ts';

const ANSWERS: readonly { readonly what: string; readonly pieces: readonly string[] }[] = [
  { what: 'a body with a length', pieces: ['HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello'] },
  {
    what: 'a head and a body in several pieces',
    pieces: ['HTTP/1.1 200 OK\r\ncontent-le', 'ngth: 5\r\n\r', '\nhel', 'lo'],
  },
  {
    what: 'chunks',
    pieces: [
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n',
      'hello\r\n',
      '0\r\n\r\n',
    ],
  },
  { what: 'no body at all', pieces: ['HTTP/1.1 204 No Content\r\nX-Total-Count: 7\r\n\r\n'] },
];

describe('the client of the benchmark', () => {
  let server: Server;
  let pieces: readonly string[] = [];

  before(async () => {
    server = createServer((socket) => {
      socket.setNoDelay();
      socket.on('data', async () => {
        for (const piece of pieces) {
          socket.write(piece);
          await new Promise((resolve) => setImmediate(resolve));
        }
      });
      socket.on('error', () => {});
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => server.close());

  const open = () => {
    const { port } = server.address() as { port: number };
    const request = wireRequest({ port, token: 't' }, { method: 'GET', path: '/' });
    return Connection.open(port).then((connection) => ({ connection, request }));
  };

  for (const answer of ANSWERS) {
    test(`finds the end of a response: ${answer.what}`, async () => {
      pieces = answer.pieces;
      const { connection, request } = await open();
      for (let time = 0; time < 3; time += 1) {
        const { bytes, status } = await connection.send(request);
        assert.equal(bytes, answer.pieces.join('').length);
        assert.equal(status, Number(answer.pieces.join('').slice(9, 12)));
      }
      connection.close();
    });
  }

  test('rejects a response other than 2xx with its body', async () => {
    pieces = ['HTTP/1.1 400 Bad Request\r\nContent-Length: 4\r\n\r\nwhy?'];
    const { connection, request } = await open();
    await assert.rejects(connection.send(request, true), /400 why\?/);
    connection.close();
  });
});
