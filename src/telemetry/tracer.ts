// Records spans of this process: requests, the stages of their searches, their calls to the store.
// The current request is kept in an AsyncLocalStorage, so lower layers need not pass it on.
// Invariant: attributes of spans are fixed words, never input of tenants or callers.
import { AsyncLocalStorage } from 'node:async_hooks';
import { ForwardingStore } from '../service/ports/forwarding-store.ts';
import type { SearchOperation, SearchStages, SearchWatch } from '../service/ports/search-watch.ts';
import type { Records, Store } from '../service/ports/store.ts';
import type { Span } from './otlp-exporter.ts';
import { newSpanId, traceContextOf } from './trace-context.ts';

/** The trace of a running request. */
export interface RequestTrace {
  /** Runs `work` as part of the request. */
  run(work: () => void): void;
  /** Ends the span. @param route path pattern, or `other` */
  ended(route: string, status: number): void;
}

/** A running span, for its children. */
interface Parent {
  readonly traceId: string;
  readonly spanId: string;
}

const UNSAMPLED: RequestTrace = { run: (work) => work(), ended: () => {} };
const NO_STAGES: SearchStages = { ended: () => {} };
const QUERY_TYPES: ReadonlySet<unknown> = new Set(['SAILPOINT', 'DSL', 'TEXT', 'TYPEAHEAD']);

export class Tracer implements SearchWatch {
  readonly #current = new AsyncLocalStorage<Parent>();
  readonly #add: (span: Span) => void;

  /** @param add receives the spans that have ended */
  constructor(add: (span: Span) => void) {
    this.#add = add;
  }

  /** Starts the span of a request; one whose caller does not sample is not recorded. */
  request(method: string, traceparent: string | undefined): RequestTrace {
    const { traceId, parentId, sampled } = traceContextOf(traceparent);
    if (!sampled) return UNSAMPLED;
    const self = { traceId, spanId: newSpanId() };
    const start = now();
    return {
      run: (work) => this.#current.run(self, work),
      ended: (route, status) => {
        this.#add({
          ...self,
          parentId,
          start,
          end: now(),
          name: `${method} ${route}`,
          kind: 'server',
          failed: status >= 500,
          attributes: {
            'http.request.method': method,
            'http.route': route,
            'http.response.status_code': status,
          },
        });
      },
    };
  }

  begin(operation: SearchOperation, queryType: unknown): SearchStages {
    const parent = this.#current.getStore();
    if (parent === undefined) return NO_STAGES;
    const kind = QUERY_TYPES.has(queryType) ? { 'cardea.query_type': String(queryType) } : {};
    const attributes = { 'cardea.operation': operation, ...kind };
    let start = now();
    return {
      ended: (stage) => {
        const end = now();
        this.#child(parent, `search ${stage}`, 'internal', {
          start,
          end,
          failed: false,
          attributes,
        });
        start = end;
      },
    };
  }

  /** Wraps a store so that each call of a request has a span. */
  traced(store: Store): Store {
    return new ForwardingStore(store, {
      read: this.#tracedRecords(store.read),
      write: (work) => this.#timed('store write', () => store.write(work)),
    });
  }

  #tracedRecords(records: Records): Records {
    const wrappers = new Map<PropertyKey, unknown>();
    return new Proxy(records, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        let wrapper = wrappers.get(name);
        if (wrapper === undefined) {
          const span = `store ${String(name)}`;
          wrapper = (...values: unknown[]) =>
            this.#timed(span, () => method.apply(target, values) as Promise<unknown>);
          wrappers.set(name, wrapper);
        }
        return wrapper;
      },
    });
  }

  async #timed<T>(name: string, work: () => Promise<T>): Promise<T> {
    const parent = this.#current.getStore();
    if (parent === undefined) return work();
    const start = now();
    let failed = true;
    try {
      const result = await work();
      failed = false;
      return result;
    } finally {
      this.#child(parent, name, 'client', { start, end: now(), failed, attributes: {} });
    }
  }

  #child(
    { traceId, spanId: parentId }: Parent,
    name: string,
    kind: Span['kind'],
    rest: Pick<Span, 'start' | 'end' | 'failed' | 'attributes'>,
  ): void {
    this.#add({ traceId, spanId: newSpanId(), parentId, name, kind, ...rest });
  }
}

/** Monotonic epoch milliseconds. */
function now(): number {
  return performance.timeOrigin + performance.now();
}
