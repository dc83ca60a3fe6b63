// Parses the header `traceparent` (W3C Trace Context, level 1): the trace of a request, and whether
// it is recorded.
import { randomBytes } from 'node:crypto';

export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits: the span of the caller; null: no caller sent one. */
  readonly parentId: string | null;
  readonly sampled: boolean;
}

const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const SAMPLED = 1;

/** Parses the header; a missing or invalid one starts a new trace (section 4.3). */
export function traceContextOf(header: string | undefined): TraceContext {
  const [, version, traceId = '', parentId = '', flags = '', rest] =
    TRACEPARENT.exec(header ?? '') ?? [];
  // Later versions may append fields; version 00 has none.
  const isValid = version !== undefined && version !== 'ff' && (version !== '00' || !rest);
  if (!isValid || /^0+$/.test(traceId) || /^0+$/.test(parentId)) {
    return { traceId: newTraceId(), parentId: null, sampled: true };
  }
  return { traceId, parentId, sampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

function newTraceId(): string {
  return randomBytes(16).toString('hex');
}

export function newSpanId(): string {
  return randomBytes(8).toString('hex');
}
