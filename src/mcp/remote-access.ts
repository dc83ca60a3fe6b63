// Searches of an assistant on a server, over the public API: a Cardea, or a tenant of the vendor,
// which has no explain.
import {
  type ServiceAccess,
  ServiceClient,
  type ServiceRequest,
  ServiceUnreachable,
  TOKEN_PATH,
} from '../remote-api/service-client.ts';
import {
  BodyTooLarge,
  boundedText,
  ServiceRefusal,
  warningTexts,
} from '../remote-api/service-refusal.ts';
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

const TIMEOUT_MS = 120_000;

export function remoteAccess(server: ServiceAccess): SearchAccess {
  const client = new ServiceClient(server, { timeoutMs: TIMEOUT_MS });
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
    const { headers, text } = await textOf(client, request);
    const total = headers.get('x-total-count');
    return {
      body: text === '' ? null : parsed(text),
      total: total === null ? null : Number(total),
      warnings: warningTexts(headers.get('warning')),
    };
  } catch (error) {
    if (error instanceof ServiceRefusal) throw refusedCall(error, client.baseUrl);
    if (error instanceof ServiceUnreachable) throw new RefusedCall(error.message);
    if (error instanceof BodyTooLarge) throw answerTooLarge();
    throw error;
  }
}

async function textOf(client: ServiceClient, request: ServiceRequest) {
  const response = await client.send(request);
  return { headers: response.headers, text: await boundedText(response, ANSWER_BYTES_MAX) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RefusedCall('The server did not answer with JSON: is its base URL right?');
  }
}

function refusedCall(refusal: ServiceRefusal, baseUrl: string): RefusedCall {
  const { status, path, retryAfterSeconds, summary, causes } = refusal;
  if (path === TOKEN_PATH) {
    return new RefusedCall(
      `${baseUrl} gave no access token (${status}): check the client id and secret.`,
    );
  }
  const later = retryAfterSeconds === null ? '' : `; try again after ${retryAfterSeconds} s`;
  const answered = `The server answered ${status}${later}.`;
  return new RefusedCall(summary === null ? answered : `${answered} ${summary}`, causes);
}
