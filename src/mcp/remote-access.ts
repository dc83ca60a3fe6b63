// Searches of an assistant on a server, over the public API: a Cardea, or a tenant of the vendor,
// which has no explain.
import { OutboundTooLarge } from '../auth/outbound.ts';
import { ServiceError } from '../errors.ts';
import {
  type ServiceAccess,
  ServiceClient,
  type ServiceRequest,
  TOKEN_PATH,
} from '../remote/service-client.ts';
import { ServiceRefusal, warningTexts } from '../remote/service-refusal.ts';
import {
  ANSWER_BYTES_MAX,
  answerTooLarge,
  RefusedCall,
  type SearchAccess,
  type SearchBody,
} from './search-access.ts';

interface Answer {
  readonly body: unknown;
  readonly total: number | null;
  readonly warnings: readonly string[];
}

export function remoteAccess(server: ServiceAccess): SearchAccess {
  const client = new ServiceClient(server, {
    allowPrivateAddresses: true,
    repeated: 'none',
    bodyBytesMax: ANSWER_BYTES_MAX,
  });
  const call = (request: ServiceRequest) => answerOf(client, request);
  const post = (path: string, body: SearchBody) => call({ method: 'POST', path, body });
  return {
    async search(body, { limit, offset }) {
      const path = `/v2024/search?limit=${limit}&offset=${offset}&count=true`;
      const { body: answer, total, warnings } = await post(path, body);
      const rows = Array.isArray(answer) ? answer : [];
      return { rows, total: total ?? rows.length, warnings };
    },
    async rows(body, limit) {
      const path = `/v2024/search/rows?limit=${limit}&count=true`;
      const { body: answer, total, warnings } = await post(path, body);
      const rows = Array.isArray(answer) ? answer : [];
      return { rows, total: total ?? rows.length, warnings };
    },
    async count(body) {
      const { total, warnings } = await post('/v2024/search/count', body);
      return { total: total ?? 0, warnings };
    },
    async aggregate(body) {
      const { body: answer, warnings } = await post('/v2024/search/aggregate?limit=0', body);
      return { aggregations: (answer as { aggregations?: unknown })?.aggregations, warnings };
    },
    async get(index, id) {
      const path = `/v2024/search/${encodeURIComponent(index)}/${encodeURIComponent(id)}`;
      return (await call({ method: 'GET', path })).body;
    },
    async explain(body, document) {
      const query = document === null ? '' : `?${new URLSearchParams({ ...document })}`;
      return (await post(`/v2024/search/explain${query}`, body)).body;
    },
  };
}

/** @throws RefusedCall for any answer but success */
async function answerOf(client: ServiceClient, request: ServiceRequest): Promise<Answer> {
  try {
    return await client.call(request, ({ headers, body }) => {
      const total = headers['x-total-count'];
      return {
        body: body.length === 0 ? null : parsed(body),
        total: total === undefined ? null : Number(total),
        warnings: warningTexts(headers.warning),
      };
    });
  } catch (error) {
    if (error instanceof ServiceRefusal) throw refusedCall(error, client.baseUrl);
    if (error instanceof OutboundTooLarge) throw answerTooLarge();
    if (error instanceof ServiceError) throw new RefusedCall(error.message);
    throw error;
  }
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    throw new RefusedCall('The server did not answer with JSON: is its base URL right?');
  }
}

function refusedCall(refusal: ServiceRefusal, baseUrl: string): RefusedCall {
  const { status, path, retryAfterMs, summary, causes } = refusal;
  if (path.endsWith(TOKEN_PATH)) {
    return new RefusedCall(
      `${baseUrl} gave no access token (${status}): check the client id and secret.`,
    );
  }
  const seconds = retryAfterMs === null ? null : Math.ceil(retryAfterMs / 1_000);
  const later = seconds === null ? '' : `; try again after ${seconds} s`;
  const answered = `The server answered ${status}${later}.`;
  return new RefusedCall(summary === null ? answered : `${answered} ${summary}`, causes);
}
