// Requests as text, for tests that send them over connections of their own (wire.ts).
import type { Caller } from '../../src/auth/caller.ts';
import { fakeServices } from './fakes.ts';
import { Wire } from './wire.ts';

/** Tokens are `TENANT.CLIENT`. */
export const tokens = {
  async verify(authorization: string | undefined): Promise<Caller> {
    const admin = await fakeServices().tokens.verify('Bearer admin');
    const [tenantId = '', clientId = ''] = (authorization ?? '').replace('Bearer ', '').split('.');
    return { ...admin, tenantId, clientId, identityId: clientId };
  },
};

export function head(
  method: string,
  path: string,
  token: string,
  length: number,
  more = '',
): string {
  const type = 'Content-Type: application/json\r\n';
  return `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n${type}${more}Content-Length: ${length}\r\n\r\n`;
}

export const statusOf = (wire: Wire) => /^HTTP\/1\.1 (\d+)/.exec(wire.heard)?.[1];

export async function ask(port: number, request: string): Promise<Wire> {
  const wire = new Wire(port);
  wire.send(request);
  await wire.until(() => statusOf(wire) !== undefined, 'an answer');
  return wire;
}

/** Connections that a test opens and that end with it. */
export function connections() {
  const wires: Wire[] = [];
  return {
    open(port: number, request: string): Wire {
      const wire = new Wire(port);
      wires.push(wire);
      wire.send(request);
      return wire;
    },
    end: () => {
      for (const { socket } of wires) socket.destroy();
    },
  };
}

export const TOKEN_REQUEST = 'grant_type=client_credentials&client_id=a&client_secret=b';
export const form = (length: number, path = '/oauth/token') =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${length}\r\n\r\n`;
