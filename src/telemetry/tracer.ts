// Spans of this process: a request, the stages of its search, what it asks of the store. Which request something belongs to
// travels with the asynchronous work itself, so nobody below has to hand it on.
// Invariant: a span's attributes are words of ours; nothing a tenant or a caller chose.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { SearchOperation, SearchStages, SearchWatch } from '../identity/ports/search-watch.ts';
import type { Records, Store } from '../identity/ports/store.ts';
import type { Span } from './otlp-exporter.ts';
import { newSpanId, traceContextOf } from './trace-context.ts';

/** A request on its way. */
export interface RequestTrace {
  /** Runs `work` as part of the request. */
  run(work: () => void): void;
  /** @param route as a template, or `other` */
  ended(route: string, status: number): void;
}

/** What has begun, for its children. */
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

  /** @param add takes the spans that have ended */
  constructor(add: (span: Span) => void) {
    this.#add = add;
  }

  /** A request that came in; one whose caller records nothing is not recorded. */
  request(method: string, traceparent: string | undefined): RequestTrace {
    const { traceId, parentId, sampled } = traceContextOf(traceparent);
    if (!sampled) return UNSAMPLED;
    const self = { traceId, spanId: newSpanId() };
    const start = now();
    return {
      run: (work) => this.#current.run(self, work),
      ended: (route, status) => {
        this.#add({
          ...{ ...self, parentId, start, end: now() },
          ...{ name: `${method} ${route}`, kind: 'server', failed: status >= 500 },
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

  /** The same store, with a span for each thing that a request asks of it. */
  traced(store: Store): Store {
    const pools = store.pools?.bind(store);
    const clock = store.now?.bind(store);
    return {
      read: this.#tracedRecords(store.read),
      write: (work) => this.#timed('store write', () => store.write(work)),
      ping: () => store.ping(),
      ...(pools === undefined ? {} : { pools }),
      ...(clock === undefined ? {} : { now: clock }),
      close: () => store.close(),
    };
  }

  #tracedRecords(records: Records): Records {
    const known = new Map<PropertyKey, unknown>();
    return new Proxy(records, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        let traced = known.get(name);
        if (traced === undefined) {
          const span = `store ${String(name)}`;
          traced = (...values: unknown[]) =>
            this.#timed(span, () => method.apply(target, values) as Promise<unknown>);
          known.set(name, traced);
        }
        return traced;
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

/** Epoch milliseconds that never go back. */
function now(): number {
  return performance.timeOrigin + performance.now();
}
