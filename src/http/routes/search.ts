// Search over HTTP. The use case returns bytes, which are sent unchanged.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { ROW_FORMATS, type RowFormat } from '../../service/searching/rows/row-format.ts';
import type { RowsAnswer } from '../../service/searching/rows/rows.ts';
import type { Search, SearchAnswer } from '../../service/searching/search.ts';
import type { Capacity } from '../admission/capacity.ts';
import {
  callerOf,
  type Endpoint,
  pathParameter,
  queryParameter,
  queryParameters,
} from '../requests/endpoint.ts';
import { acceptedForm, acceptedRows } from '../responses/accept.ts';
import {
  CSV_TYPE,
  JSON_TYPE,
  NDJSON_TYPE,
  type SendCapacity,
  sendBytes,
  sendPieces,
  sendTotal,
} from '../responses/response.ts';
import { writeWarnings } from '../responses/warning-header.ts';

const PAGE = ['offset', 'limit', 'count'] as const;
const EXPLAIN = [...PAGE, 'index', 'id'] as const;

/** `/search` and the paths below it. */
export function searchEndpoints(
  search: Pick<
    Search,
    'search' | 'searchIndex' | 'count' | 'explain' | 'aggregate' | 'rows' | 'get'
  >,
  capacity: Pick<Capacity, 'signals'> & SendCapacity,
): Endpoint[] {
  const { signals } = capacity;
  const sendHits = async (
    request: FastifyRequest,
    reply: FastifyReply,
    find: (signal: AbortSignal) => Promise<SearchAnswer>,
  ) => {
    const answer = await signals.run(reply.raw, find);
    writeWarnings(reply, answer.warnings);
    sendBytes(request, reply, answer.body, JSON_TYPE, answer.total, capacity);
    return reply;
  };
  return [
    {
      method: 'POST',
      path: '',
      dialect: 'search',
      operation: 'search',
      work: 'searches',
      body: 'query',
      parameters: PAGE,
      handle: (request, reply) =>
        sendHits(request, reply, (signal) =>
          search.search(callerOf(request), request.body, pageOf(request), {
            signal,
            memory: reply,
          }),
        ),
    },
    {
      method: 'POST',
      path: '/count',
      dialect: 'search',
      operation: 'search:count',
      work: 'searches',
      body: 'query',
      parameters: PAGE,
      async handle(request, reply) {
        const { total, warnings } = await signals.run(reply.raw, (signal) =>
          search.count(callerOf(request), request.body, { signal }),
        );
        writeWarnings(reply, warnings);
        sendTotal(request, reply, total);
        return reply;
      },
    },
    {
      method: 'POST',
      path: '/rows',
      dialect: 'search',
      operation: 'search',
      work: 'streams of rows',
      body: 'query',
      parameters: [...PAGE, 'format'],
      async handle(request, reply) {
        const format = rowFormatOf(request);
        await signals.run(reply.raw, async (signal) => {
          const caller = callerOf(request);
          const answer = await search.rows(caller, request.body, pageOf(request), format, {
            signal,
          });
          writeWarnings(reply, answer.warnings);
          const type = ROW_TYPES[format];
          await sendPieces(request, reply, bytesOf(answer), type, answer.total, capacity);
        });
        return reply;
      },
    },
    {
      method: 'POST',
      path: '/explain',
      dialect: 'search',
      operation: 'search',
      work: 'searches',
      body: 'query',
      parameters: EXPLAIN,
      handle: (request, reply) =>
        signals.run(reply.raw, (signal) =>
          search.explain(callerOf(request), request.body, queryParameters(request, EXPLAIN), {
            signal,
            memory: reply,
          }),
        ),
    },
    {
      method: 'POST',
      path: '/aggregate',
      dialect: 'search',
      operation: 'search:aggregate',
      work: 'searches',
      body: 'query',
      parameters: PAGE,
      async handle(request, reply) {
        const accepted = acceptedForm(request.headers.accept);
        const answer = await signals.run(reply.raw, (signal) =>
          search.aggregate(callerOf(request), request.body, pageOf(request), accepted, {
            signal,
            memory: reply,
          }),
        );
        const type = answer.form === 'csv' ? CSV_TYPE : JSON_TYPE;
        writeWarnings(reply, answer.warnings);
        sendBytes(request, reply, answer.body, type, answer.total, capacity);
        return reply;
      },
    },
    {
      method: 'POST',
      path: '/:index',
      dialect: 'search',
      operation: 'search',
      work: 'searches',
      body: 'query',
      parameters: PAGE,
      handle(request, reply) {
        const index = pathParameter(request, 'index');
        const { body } = request;
        return sendHits(request, reply, (signal) =>
          search.searchIndex(callerOf(request), index, body, pageOf(request), {
            signal,
            memory: reply,
          }),
        );
      },
    },
    {
      method: 'GET',
      path: '/:index/:id',
      dialect: 'search',
      operation: 'document:get',
      work: null,
      body: 'none',
      async handle(request, reply) {
        const index = pathParameter(request, 'index');
        const body = await search.get(callerOf(request), index, pathParameter(request, 'id'));
        sendBytes(request, reply, body, JSON_TYPE, null, capacity);
        return reply;
      },
    },
  ];
}

const ROW_TYPES: Readonly<Record<RowFormat, string>> = {
  json: JSON_TYPE,
  ndjson: NDJSON_TYPE,
  csv: CSV_TYPE,
};

/** The form of rows: the parameter `format`, or what the Accept header prefers. */
function rowFormatOf(request: FastifyRequest): RowFormat {
  const text = queryParameter(request, 'format');
  if (text === undefined) return acceptedRows(request.headers.accept);
  const format = ROW_FORMATS.find((name) => name === text);
  if (format !== undefined) return format;
  const shown = JSON.stringify(text.slice(0, 40));
  const cause = `format: ${shown} is none of ${ROW_FORMATS.join(', ')}`;
  throw new ServiceError('request_invalid', cause, { causes: [cause] });
}

async function* bytesOf({ chunks }: RowsAnswer): AsyncGenerator<Uint8Array> {
  for await (const { bytes } of chunks) yield bytes;
}

/** The paging parameters; of a repeated one the last value. */
function pageOf(request: FastifyRequest) {
  return queryParameters(request, PAGE);
}
