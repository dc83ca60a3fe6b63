// Worker thread of the embedded index: runs one job at a time, off the event loop that runs searches.
import { type MessagePort, parentPort } from 'node:worker_threads';
import { CorruptSegmentError } from '../../../engine/sections/corrupt-segment-error.ts';
import type { BuildJob, BuildReply } from './build-job.ts';
import { runJob } from './run-job.ts';

function serve(port: MessagePort): void {
  port.on('message', ({ id, job }: { id: number; job: BuildJob }) => {
    let reply: BuildReply;
    try {
      reply = { id, built: runJob(job) };
    } catch (error) {
      if (error instanceof CorruptSegmentError) {
        reply = { id, fault: error.what, corrupt: error.segment };
      } else {
        const fault = error instanceof Error ? error.message : String(error);
        reply = { id, fault, corrupt: null };
      }
    }
    port.postMessage(reply);
  });
}

if (parentPort !== null) serve(parentPort);
