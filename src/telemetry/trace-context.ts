// The header `traceparent` (W3C Trace Context, level 1): which trace a request belongs to, and whether it is recorded.
import { randomBytes } from 'node:crypto';

export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits: the span of whoever called; null: nobody did. */
  readonly parentId: string | null;
  readonly sampled: boolean;
}

const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const SAMPLED = 1;

/** What the header says; a new trace where it is missing or not one (section 4.3). */
export function traceContextOf(header: string | undefined): TraceContext {
  const [, version, traceId = '', parentId = '', flags = '', rest] =
    TRACEPARENT.exec(header ?? '') ?? [];
  // A later version may append members; this one has none.
  const known = version !== undefined && version !== 'ff' && (version !== '00' || !rest);
  if (!known || /^0+$/.test(traceId) || /^0+$/.test(parentId)) {
    return { traceId: newTraceId(), parentId: null, sampled: true };
  }
  return { traceId, parentId, sampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

export function newTraceId(): string {
  return randomBytes(16).toString('hex');
}

export function newSpanId(): string {
  return randomBytes(8).toString('hex');
}
