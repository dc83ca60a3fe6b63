// Searches of an assistant over the use cases of this process, with the rights of one caller.
import type { Caller } from '../auth/caller.ts';
import { ServiceError } from '../errors.ts';
import type { Waiter } from '../service/ports/search-backend.ts';
import { answerBytes } from '../service/searching/answer-bytes.ts';
import type { AnswerPiece, Search } from '../service/searching/search.ts';
import {
  ANSWER_BYTES_MAX,
  answerTooLarge,
  RefusedCall,
  type SearchAccess,
} from './search-access.ts';

export type SearchCases = Pick<
  Search,
  'search' | 'rows' | 'count' | 'aggregate' | 'get' | 'explain'
>;

/** @param waiter of all searches */
export function localAccess(search: SearchCases, caller: Caller, waiter: Waiter): SearchAccess {
  const answered = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code === 'cancelled') throw error;
      throw new RefusedCall(error.message, error.details.causes ?? []);
    }
  };
  const texts = (warnings: readonly { readonly text: string }[]) =>
    warnings.map(({ text }) => text);
  return {
    search: (body, { limit, offset }) =>
      answered(async () => {
        const parameters = { limit: String(limit), offset: String(offset), count: 'true' };
        const answer = await search.search(caller, body, parameters, waiter);
        const rows = parsed(answer.body) as unknown[];
        return { rows, total: answer.total ?? rows.length, warnings: texts(answer.warnings) };
      }),
    rows: (body, limit) =>
      answered(async () => {
        const parameters = { limit: String(limit), count: 'true' };
        const answer = await search.rows(caller, body, parameters, 'json', waiter);
        const pieces: Uint8Array[] = [];
        let length = 0;
        for await (const { bytes } of answer.chunks) {
          length += bytes.length;
          if (length > ANSWER_BYTES_MAX) throw answerTooLarge();
          pieces.push(bytes);
        }
        const rows = parsed(pieces) as unknown[];
        return { rows, total: answer.total ?? rows.length, warnings: texts(answer.warnings) };
      }),
    count: (body) =>
      answered(async () => {
        const { total, warnings } = await search.count(caller, body, waiter);
        return { total, warnings: texts(warnings) };
      }),
    aggregate: (body) =>
      answered(async () => {
        const page = { limit: '0' };
        const answer = await search.aggregate(caller, body, page, 'json', waiter);
        const { aggregations } = parsed(answer.body) as { aggregations: unknown };
        return { aggregations, warnings: texts(answer.warnings) };
      }),
    get: (index, id) => answered(async () => parsed(await search.get(caller, index, id))),
    explain: (body, document) =>
      answered(() => search.explain(caller, body, { ...document }, waiter)),
  };
}

/** @throws RefusedCall for an answer that is too large */
function parsed(pieces: readonly AnswerPiece[]): unknown {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length > ANSWER_BYTES_MAX) throw answerTooLarge();
  return JSON.parse(new TextDecoder().decode(answerBytes(pieces)));
}
