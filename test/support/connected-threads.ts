// Threads of one process as ProcessCounts knows them, all in this thread: events are cloned, and
// arrive after the call, as over message ports, but before any timer.
import type { RequestSettings } from '../../src/config/settings/requests.ts';
import {
  createProcessCounts,
  type PeerEvent,
  ProcessCounts,
  type ThreadPeers,
} from '../../src/http/admission/process-counts.ts';

export const SMALL = {
  ...{ maxConnections: 8, maxSearches: 8, maxProfileSearches: 8, maxWrites: 8 },
} satisfies Partial<RequestSettings>;

/** Opens the counts of so many threads; `told` collects what they tell one another. */
export function connectedThreads(threads: number): {
  readonly counts: readonly ProcessCounts[];
  readonly told: readonly PeerEvent[];
} {
  const data = createProcessCounts(threads, SMALL);
  const listeners = Array.from({ length: threads }, (): ((event: PeerEvent) => void)[] => []);
  const told: PeerEvent[] = [];
  const peersOf = (thread: number): ThreadPeers => ({
    tell(event) {
      told.push(event);
      queueMicrotask(() => {
        for (const [other, all] of listeners.entries()) {
          if (other !== thread) for (const listener of all) listener(structuredClone(event));
        }
      });
    },
    onEvent: (listener) => void listeners[thread]?.push(listener),
  });
  const counts = listeners.map((_, thread) => new ProcessCounts(data, thread, peersOf(thread)));
  return { counts, told };
}
