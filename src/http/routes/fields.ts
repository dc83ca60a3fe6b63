// Dynamic fields over HTTP: their kinds, and what documents have.
import type { Fields } from '../../service/fields/fields.ts';
import type { Capacity } from '../admission/capacity.ts';
import { callerOf, type Endpoint, pathParameter, queryParameter } from '../requests/endpoint.ts';

/** What the routes call. */
export type FieldCases = Pick<Fields, 'list' | 'set'>;

/** `/admin/v1/fields` and below. */
export function fieldEndpoints(
  fields: FieldCases,
  { signals }: Pick<Capacity, 'signals'>,
): Endpoint[] {
  const shared = { dialect: 'isc', operation: 'admin' } as const;
  const path = '/admin/v1/fields';
  return [
    {
      ...{ ...shared, method: 'GET', path, work: 'searches', body: 'none' },
      handle: (request, reply) =>
        signals.run(reply.raw, (signal) =>
          fields.list(callerOf(request), { index: queryParameter(request, 'index') }, signal),
        ),
    },
    {
      ...{
        ...shared,
        method: 'PATCH',
        path: `${path}/:index/:name`,
        work: 'changes',
        body: 'json',
      },
      handle: (request, reply) => {
        const [index, name] = [pathParameter(request, 'index'), pathParameter(request, 'name')];
        return signals.run(reply.raw, (signal) =>
          fields.set(callerOf(request), index, name, request.body, signal),
        );
      },
    },
  ];
}
