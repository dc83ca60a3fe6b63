// The token endpoint and its neighbours. Clients put the parameters into the query, a form, a multipart form, or
// some here and some there; the id and secret may come as HTTP Basic.
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Tokens } from '../services.ts';

/** Bounds of a multipart form: a token request has a handful of short fields and no files. */
const FORM_LIMITS = { fields: 20, parts: 20, files: 0, fieldNameSize: 100, fieldSize: 16_384 };

/** Lets the routes of `app` take multipart forms. */
export function registerForms(app: FastifyInstance): void {
  app.register(multipart, { limits: FORM_LIMITS });
}

/**
 * `/oauth/token`, `/oauth/info`, `/oauth/jwks`.
 * @param publicUrl where clients reach the service; null: where the request says it came to
 */
export function oauthEndpoints(tokens: Tokens, publicUrl: string | null): Endpoint[] {
  return [
    {
      method: 'POST',
      path: '/oauth/token',
      dialect: 'oauth',
      operation: null,
      body: 'form',
      async handle(request, reply) {
        const parameters = { ...strings(request.query), ...strings(await formOf(request)) };
        const basic = basicCredentials(request.headers.authorization);
        const answer = await tokens.issue(parameters, basic, request.ip);
        reply.raw.setHeader('Cache-Control', 'no-store');
        reply.raw.setHeader('Pragma', 'no-cache');
        return answer;
      },
    },
    {
      method: 'GET',
      path: '/oauth/info',
      dialect: 'isc',
      operation: null,
      body: 'none',
      handle: async (request) => tokens.info(publicUrl ?? `${request.protocol}://${request.host}`),
    },
    {
      method: 'GET',
      path: '/oauth/jwks',
      dialect: 'isc',
      operation: null,
      body: 'none',
      handle: async () => tokens.jwks(),
    },
  ];
}

async function formOf(request: FastifyRequest): Promise<unknown> {
  if (!request.isMultipart()) return request.body;
  try {
    return await fieldsOf(request);
  } catch (error) {
    // A missing boundary and a form that breaks off come as bare errors; all others have a code.
    if (error instanceof Error && !('code' in error)) {
      throw malformed('the multipart form has no boundary, or breaks off');
    }
    throw error;
  }
}

async function fieldsOf(request: FastifyRequest): Promise<Record<string, unknown>> {
  const form: Record<string, unknown> = {};
  for await (const part of request.parts()) {
    if (part.type === 'file') throw malformed('a file is not taken here');
    if (part.valueTruncated || part.fieldnameTruncated) throw malformed('a field is too long');
    form[part.fieldname] = part.value;
  }
  return form;
}

/** The members that are strings; of a repeated one the last. */
function strings(members: unknown): Record<string, string> {
  if (typeof members !== 'object' || members === null) return {};
  const kept: [string, string][] = [];
  for (const [name, value] of Object.entries(members)) {
    const last: unknown = Array.isArray(value) ? value.at(-1) : value;
    if (typeof last === 'string') kept.push([name, last]);
  }
  return Object.fromEntries(kept);
}

/** RFC 7617; null where the header is missing or is something else. */
function basicCredentials(header: string | undefined): { id: string; secret: string } | null {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return null;
  const pair = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  return colon === -1 ? null : { id: pair.slice(0, colon), secret: pair.slice(colon + 1) };
}

function malformed(cause: string): ServiceError {
  return new ServiceError('oauth_invalid_request', 'The form could not be read.', {
    causes: [cause],
  });
}
