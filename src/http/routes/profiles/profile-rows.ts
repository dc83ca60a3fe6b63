// The rows of profile management: what reads and what writes.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Endpoint } from '../../requests/endpoint.ts';

/** What answers a request of profile management. */
export type Handle = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** A row that reads from the store. */
export function readRow(path: string, handle: Handle): Endpoint {
  return {
    ...{ method: 'GET', path, dialect: 'nerm', operation: 'profiles:read' },
    ...{ work: 'reads of profile management', body: 'none', handle },
  };
}

/** A row that writes. @param body what it reads, if not that of the method */
export function writeRow(
  method: 'POST' | 'PATCH' | 'DELETE',
  path: string,
  handle: Handle,
  body: 'json' | 'none' = method === 'DELETE' ? 'none' : 'json',
): Endpoint {
  return {
    method,
    path,
    dialect: 'nerm',
    operation: 'profiles:write',
    work: 'changes',
    body,
    handle,
  };
}
