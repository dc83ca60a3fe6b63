// Ends a worker thread safely. V8 compiles hot functions of a thread in background threads. In Node 20 and 22, a thread that
// goes away while V8 is still compiling for it can abort the whole process ("Assertion failed: (data.first) != nullptr" in
// node_platform.cc), because Node unregisters the isolate before V8 has cancelled those compilations.
import { setTimeout as delay } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';

/** How long a thread must have been idle before it ends. V8 compiles a function in a few milliseconds. */
const IDLE_MS = 100;

/** Ends a thread that has no more work, after V8 has had the time to compile what the thread ran last. */
export async function endThread(worker: Worker): Promise<void> {
  await delay(IDLE_MS);
  await worker.terminate();
}
