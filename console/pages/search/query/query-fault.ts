// Parses the position of a syntax error in a query. The service reports it in the first cause,
// `Query string, offset 12: …`; the query box marks the character and shows the message below it.
import type { ApiFault } from '../../../api/fault.ts';

/** A syntax error in a query. */
export interface QueryFault {
  /** UTF-16 offset; the length of the text if the query ends too early. */
  readonly offset: number;
  readonly message: string;
}

const POSITIONED = /^Query string, offset (\d+): (.+)$/s;

/** The syntax error that a fault reports; null if it is another fault. */
export function queryFaultOf(
  fault: Pick<ApiFault, 'kind' | 'message'>,
  query: string,
): QueryFault | null {
  if (fault.kind !== 'refused') return null;
  const [, offset, text] = POSITIONED.exec(fault.message) ?? [];
  if (offset === undefined || text === undefined) return null;
  const message = text.charAt(0).toUpperCase() + text.slice(1);
  return { offset: Math.min(Number(offset), query.length), message };
}
