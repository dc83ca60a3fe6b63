// Ends a worker thread safely. V8 compiles hot functions in background threads. In Node 20 and 22,
// terminating a thread while V8 compiles for it can abort the whole process ("Assertion failed:
// (data.first) != nullptr" in node_platform.cc), because Node unregisters the isolate before V8
// cancels the compilations.
import { setTimeout as delay } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';

/** Idle time before termination. V8 compiles a function in a few milliseconds. */
const IDLE_MS = 100;

/** Ends an idle thread, after V8 has had time to finish its compilations. */
export async function endThread(worker: Worker): Promise<void> {
  await delay(IDLE_MS);
  await worker.terminate();
}
