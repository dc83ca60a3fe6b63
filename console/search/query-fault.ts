// Where in the query a fault lies. The service names the place in the first cause, `Query string, offset 12: …`, and
// draws it in the second; here the place becomes a character to mark and the sentence what to say below it.
import type { ApiFault } from '../api/fault.ts';

/** A fault in the text of a query. */
export interface QueryFault {
  /** UTF-16 offset; may be the length of the text, where it breaks off. */
  readonly offset: number;
  readonly sentence: string;
}

const PLACED = /^Query string, offset (\d+): (.+)$/s;

/** The place a fault names in a query text; null: it is about something else. */
export function queryFaultOf(
  fault: Pick<ApiFault, 'kind' | 'message'>,
  query: string,
): QueryFault | null {
  if (fault.kind !== 'refused') return null;
  const [, offset, sentence] = PLACED.exec(fault.message) ?? [];
  if (offset === undefined || sentence === undefined) return null;
  const said = sentence.charAt(0).toUpperCase() + sentence.slice(1);
  return { offset: Math.min(Number(offset), query.length), sentence: said };
}
