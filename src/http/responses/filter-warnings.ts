// Warnings about the parameter `filters` of a list: what can be read, but is probably meant otherwise.
import { filterHints } from '../../service/lists/filter-hints.ts';
import { queryParameter, type ServedEndpoint } from '../requests/endpoint.ts';
import { writeWarnings } from './warning-header.ts';

/** A route that warns of its filter, if it has one. */
export function withFilterWarnings(endpoint: ServedEndpoint): ServedEndpoint {
  if (endpoint.parameters?.includes('filters') !== true) return endpoint;
  return {
    ...endpoint,
    handle(request, reply) {
      const hints = filterHints(queryParameter(request, 'filters') ?? '');
      if (hints.length > 0)
        writeWarnings(
          reply,
          hints.map((text) => ({ text })),
        );
      return endpoint.handle(request, reply);
    },
  };
}
