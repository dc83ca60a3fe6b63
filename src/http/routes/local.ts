// What commands ask of the server that runs on their data directory, by its socket alone. Long work is
// answered with lines of its progress, of which the last one has the result.
import { ServiceError } from '../../errors.ts';
import { within } from '../../scheduling/abort.ts';
import {
  LOCAL_PATHS,
  type LocalCases,
  type LocalLine,
  type LocalProgress,
} from '../../service/searching/local-serving.ts';
import type { Endpoint } from '../requests/endpoint.ts';
import { NDJSON_TYPE, type SendCapacity, sendPieces } from '../responses/response.ts';

/** How often progress is told. */
const TELL_MS = 100;

/** `/local/…`. */
export function localEndpoints(cases: LocalCases, capacity: SendCapacity): Endpoint[] {
  const shared = { dialect: 'isc', operation: 'admin', work: null, body: 'none' } as const;
  const { version, process, search } = cases;
  const answering = (path: string, work: Work): Endpoint => ({
    ...{ ...shared, method: 'POST', path },
    async handle(request, reply) {
      await sendPieces(request, reply, linesOf(work), NDJSON_TYPE, null, capacity);
      return reply;
    },
  });
  return [
    {
      ...{ ...shared, method: 'GET', path: LOCAL_PATHS.server },
      handle: () => ({ version, process, search }),
    },
    answering(LOCAL_PATHS.checkIndex, (progress) => cases.checkIndex(progress)),
    answering(LOCAL_PATHS.refillIndex, (progress) => cases.refillIndex(progress)),
  ];
}

type Work = (progress: LocalProgress) => Promise<object>;

async function* linesOf(work: Work): AsyncGenerator<Uint8Array> {
  let latest: LocalLine = { progress: [0, 0] };
  let isAwaited = true;
  const ended = work((done, total) => {
    if (!isAwaited) throw new ServiceError('cancelled', 'The command has ended.');
    latest = { progress: [done, total] };
  }).then(
    (result): LocalLine => ({ result }),
    (error: unknown): LocalLine => {
      if (error instanceof ServiceError) return { fault: reasonOf(error) };
      throw error;
    },
  );
  // It is awaited below, unless the client leaves.
  ended.catch(() => {});
  try {
    for (;;) {
      const last = await within(TELL_MS, ended, () => null);
      yield Buffer.from(`${JSON.stringify(last ?? latest)}\n`);
      if (last !== null) return;
    }
  } finally {
    isAwaited = false;
  }
}

function reasonOf({ message, details }: ServiceError): string {
  return (details.causes ?? [message]).join('; ');
}
