// Preloaded by threads in tests: does what a message orders, in the middle of whatever the thread does.
import { BroadcastChannel, workerData } from 'node:worker_threads';
import type { ThreadOrder } from './thread-world.ts';

/** Not the port of the thread, whose messages would come before the thread listens to them. */
const channel = new BroadcastChannel((workerData as { readonly listener: string }).listener);
channel.unref();
channel.onmessage = (event) => {
  const { data } = event as { data: { readonly thread: number; readonly order: ThreadOrder } };
  if (data.thread !== (workerData as { readonly number: number }).number) return;
  switch (data.order) {
    case 'exit':
      process.exit(3);
      break;
    case 'throw':
      throw new TypeError('a defect of the thread');
    case 'fill memory': {
      const kept: number[][] = [];
      for (;;) kept.push(Array.from({ length: 100_000 }, (_, i) => i + kept.length));
    }
    case 'hang':
    case 'hang for long': {
      // A loop that ends so that the test can.
      const until = performance.now() + (data.order === 'hang' ? 15_000 : 45_000);
      while (performance.now() < until);
    }
  }
};
