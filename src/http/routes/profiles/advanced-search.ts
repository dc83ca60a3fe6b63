// Advanced search over HTTP (contract/profiles.md section 5): saved searches, and runs of saved
// searches or of rules in the body. Responses are always keyed, as no path names a collection in
// the plural.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Collection } from '../../../service/ports/collection.ts';
import { PROFILES } from '../../../service/profiles/profile-cases.ts';
import {
  ADVANCED_SEARCH_FORM,
  misplacedMembers,
} from '../../../service/profiles/resources/misplaced-members.ts';
import {
  ADVANCED_SEARCHES,
  type AdvancedSearches,
} from '../../../service/profiles/rules/advanced-searches.ts';
import type { DisconnectSignals } from '../../requests/disconnect-signals.ts';
import { callerOf, type Endpoint, pathParameter } from '../../requests/endpoint.ts';
import {
  envelopedPage,
  otherParameters,
  readPageRequest,
  warnOfBody,
  warnOfUnknownParameters,
} from './collection.ts';
import { readRow, writeRow } from './profile-rows.ts';

/**
 * `/advanced_search`, the paths below it, and its runs.
 * @param signals abort the runs of clients that disconnect
 */
export function advancedSearchEndpoints(
  searches: Pick<AdvancedSearches, keyof AdvancedSearches>,
  signals: DisconnectSignals,
): Endpoint[] {
  return [
    readRow('/advanced_search', async (request, reply) => {
      const pageRequest = readPageRequest(request, ADVANCED_SEARCHES);
      const page = await searches.list(callerOf(request), pageRequest);
      const unknown = otherParameters(request, ADVANCED_SEARCHES).keys();
      warnOfUnknownParameters(request, reply, ADVANCED_SEARCHES, unknown);
      return envelopedPage(request, ADVANCED_SEARCHES, pageRequest, page, 'object');
    }),
    readRow('/advanced_search/:id', async (request) => ({
      advanced_search: await searches.get(callerOf(request), pathParameter(request, 'id')),
    })),
    run('GET', '/advanced_search/:id/run', async (request, reply) => {
      const pageRequest = readRunRequest(request);
      const id = pathParameter(request, 'id');
      const page = await signals.run(reply.raw, (signal) =>
        searches.run(callerOf(request), id, pageRequest, { signal, memory: reply }),
      );
      warnOfUnknownParameters(request, reply, RESULTS, page.unknown);
      return envelopedPage(request, RESULTS, pageRequest, page, 'object');
    }),
    run('POST', '/advanced_search/run', async (request, reply) => {
      const pageRequest = readRunRequest(request);
      const page = await signals.run(reply.raw, (signal) =>
        searches.runOnce(callerOf(request), request.body, pageRequest, { signal, memory: reply }),
      );
      warnOfUnknownParameters(request, reply, RESULTS, page.unknown);
      warnOfBody(reply, misplacedMembers(request.body, ADVANCED_SEARCH_FORM).hints);
      return envelopedPage(request, RESULTS, pageRequest, page, 'object');
    }),
    writeRow('POST', '/advanced_search', async (request, reply) => {
      const created = await searches.create(callerOf(request), request.body);
      warnOfBody(reply, misplacedMembers(request.body, ADVANCED_SEARCH_FORM).hints);
      return { advanced_search: created };
    }),
    writeRow('PATCH', '/advanced_search/:id', async (request, reply) => {
      const id = pathParameter(request, 'id');
      const edited = await searches.edit(callerOf(request), id, request.body);
      warnOfBody(reply, misplacedMembers(request.body, ADVANCED_SEARCH_FORM).hints);
      return { advanced_search: edited };
    }),
    writeRow('DELETE', '/advanced_search/:id', async (request, reply) => {
      await searches.remove(callerOf(request), pathParameter(request, 'id'));
      return reply.code(204).send();
    }),
  ];
}

/** Results page, sort and filter as lists of profiles do, but are never archived. */
const { archived: _, ...FILTERS } = PROFILES.filters;
export const RESULTS: Collection = { ...PROFILES, filters: FILTERS, parameters: [] };

function readRunRequest(request: FastifyRequest) {
  const others = otherParameters(request, RESULTS);
  return { ...readPageRequest(request, RESULTS), others };
}

type Handle = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** A run only reads, although its rules may be in a body. */
function run(method: 'GET' | 'POST', path: string, handle: Handle): Endpoint {
  const body = method === 'GET' ? 'none' : 'json';
  const work = 'advanced searches';
  return { method, path, dialect: 'nerm', operation: 'profiles:read', work, body, handle };
}
