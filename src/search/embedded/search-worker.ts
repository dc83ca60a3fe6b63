// The thread's side of a search worker: holds the indexes it has been told of, opened over shared memory, and answers
// one question after the other.
// Invariant: between any two steps it looks whether the answer is still wanted.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { ByteCache } from '../../engine/index/byte-cache.ts';
import { limitRowMemory } from '../../engine/search/row-memory.ts';
import { packFault } from './packed-fault.ts';
import { packFinding } from './packed-finding.ts';
import { findingSteps, type Question } from './question.ts';
import {
  BEGUN,
  type FromSearchWorker,
  type SearchWorkerData,
  stopAt,
  type ToSearchWorker,
} from './search-messages.ts';
import { SegmentShelf } from './segment-shelf.ts';

type Asked = Extract<ToSearchWorker, { readonly kind: 'question' }>;

function serve(port: MessagePort, data: SearchWorkerData): void {
  limitRowMemory(data.rowMemoryBytes);
  const shelf = new SegmentShelf({
    sources: new ByteCache(data.sourceCacheBytes),
    pages: new ByteCache(data.pageCacheBytes),
  });
  const tell = (message: FromSearchWorker) => port.postMessage(message);
  port.on('message', (message: ToSearchWorker) => {
    switch (message.kind) {
      case 'index':
        return shelf.put(message.key, message.views, message.news);
      case 'mapping':
        return shelf.learn(message.key, message.mapping);
      case 'question':
        return answer(message, shelf, data.control, tell);
    }
  });
  tell({ kind: 'ready' });
}

function answer(
  { id, slot, question: text, keys }: Asked,
  shelf: SegmentShelf,
  control: Int32Array,
  tell: (message: FromSearchWorker) => void,
): void {
  Atomics.store(control, BEGUN, id);
  const began = performance.now();
  const wanted = () => Atomics.load(control, stopAt(slot)) !== id;
  try {
    const question: Question = JSON.parse(text);
    const targets = shelf.targets(question.plan, keys);
    const steps = findingSteps(question, targets);
    while (wanted()) {
      const step = steps.next();
      if (!step.done) continue;
      const finding = packFinding(step.value, targets);
      tell({ kind: 'found', id, finding, tookMs: performance.now() - began });
      return;
    }
    steps.return(undefined as never);
    tell({ kind: 'stopped', id });
  } catch (error) {
    tell({ kind: 'fault', id, fault: packFault(error) });
  }
}

if (parentPort !== null) serve(parentPort, workerData as SearchWorkerData);
