// Advanced search over HTTP (contract/profiles.md section 5): kept searches, and runs of these and of rules in a body.
// Answers are keyed always, as none of the paths names a collection in the plural.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PROFILES } from '../../../identity/profiles/profile-cases.ts';
import { ADVANCED_SEARCHES } from '../../../identity/profiles/rules/advanced-searches.ts';
import { enveloped, readPageRequest, warnOfUnknownParameters } from '../../collection.ts';
import { callerOf, type Endpoint, pathParameter } from '../../endpoint.ts';
import type { DisconnectSignals } from '../../requests/disconnect-signals.ts';
import type { AdvancedSearchCases } from '../../services.ts';

/**
 * `/advanced_search`, what is below it, and its runs.
 * @param signals end the runs of clients that have gone away
 */
export function advancedSearchEndpoints(
  searches: AdvancedSearchCases,
  signals: DisconnectSignals,
): Endpoint[] {
  return [
    read('GET', '/advanced_search', async (request, reply) => {
      const asked = readPageRequest(request, ADVANCED_SEARCHES);
      const page = await searches.list(callerOf(request), asked);
      warnOfUnknownParameters(request, reply, ADVANCED_SEARCHES);
      return enveloped(request, ADVANCED_SEARCHES, asked, page, 'keyed');
    }),
    read('GET', '/advanced_search/:id', async (request) => ({
      advanced_search: await searches.get(callerOf(request), pathParameter(request, 'id')),
    })),
    read('GET', '/advanced_search/:id/run', async (request, reply) => {
      const asked = readPageRequest(request, RESULTS);
      const id = pathParameter(request, 'id');
      const page = await signals.run(reply.raw, (gone) =>
        searches.run(callerOf(request), id, asked, gone),
      );
      warnOfUnknownParameters(request, reply, RESULTS);
      return enveloped(request, RESULTS, asked, page, 'keyed');
    }),
    read('POST', '/advanced_search/run', async (request, reply) => {
      const asked = readPageRequest(request, RESULTS);
      const page = await signals.run(reply.raw, (gone) =>
        searches.runOnce(callerOf(request), request.body, asked, gone),
      );
      warnOfUnknownParameters(request, reply, RESULTS);
      return enveloped(request, RESULTS, asked, page, 'keyed');
    }),
    write('POST', '/advanced_search', async (request) => ({
      advanced_search: await searches.create(callerOf(request), request.body),
    })),
    write('PATCH', '/advanced_search/:id', async (request) => {
      const id = pathParameter(request, 'id');
      return { advanced_search: await searches.edit(callerOf(request), id, request.body) };
    }),
    write('DELETE', '/advanced_search/:id', async (request, reply) => {
      await searches.remove(callerOf(request), pathParameter(request, 'id'));
      return reply.code(204).send();
    }),
  ];
}

/** Found profiles page and sort as listed ones do; narrowing them is what rules are for. */
const RESULTS = { ...PROFILES, filters: {}, parameters: [] };

type Handle = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** A run changes nothing, though its rules come in a body. */
function read(method: 'GET' | 'POST', path: string, handle: Handle): Endpoint {
  const body = method === 'GET' ? 'none' : 'json';
  return { method, path, dialect: 'nerm', operation: 'profiles:read', body, handle };
}

function write(method: 'POST' | 'PATCH' | 'DELETE', path: string, handle: Handle): Endpoint {
  const body = method === 'DELETE' ? 'none' : 'json';
  return { method, path, dialect: 'nerm', operation: 'profiles:write', body, handle };
}
