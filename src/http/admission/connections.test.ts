import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { TrustedProxies } from './client-address.ts';
import { limitConnections } from './connections.ts';

test('closes a connection whose client has already disconnected', () => {
  const server = new EventEmitter() as Server;
  limitConnections(server, {
    maxConnections: 10,
    maxConnectionsPerAddress: 5,
    keepAliveTimeoutMs: 1_000,
    proxies: new TrustedProxies([]),
    onRefused: () => assert.fail('the limit is not reached'),
  });
  const socket = new Socket();
  assert.equal(socket.remoteAddress, undefined);
  server.emit('connection', socket);
  assert.equal(socket.destroyed, true);
});
