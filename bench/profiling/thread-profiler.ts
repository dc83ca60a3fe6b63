// Loaded into the server (`node --import`) and so into each of its threads: profiles the CPU on
// command. The main thread takes commands over the IPC channel of the process and passes them to
// the workers, each of which profiles itself and writes its own file.
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { BroadcastChannel, isMainThread, threadId } from 'node:worker_threads';

export interface ProfileCommand {
  readonly command: 'start' | 'stop';
  /** Where `stop` writes `NAME.THREAD.cpuprofile`. */
  readonly folder: string;
  readonly name: string;
}

/** Sent by each thread when it has done a command, and by a worker when it starts. */
export interface ProfileReport {
  readonly done: 'start' | 'stop' | 'none';
  readonly thread: number;
}

/** V8's default of 1,000 µs leaves few samples of a cell of short requests. */
const SAMPLING_INTERVAL_US = 250;

const session = new Session();
session.connect();
const workers = new BroadcastChannel('cardea-bench-profile');
let isProfiling = false;
let last: ProfileCommand = { command: 'stop', folder: '', name: '' };

async function obey(command: ProfileCommand): Promise<ProfileReport> {
  if (command.command === 'start' && !isProfiling) {
    isProfiling = true;
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: SAMPLING_INTERVAL_US });
    await session.post('Profiler.start');
  } else if (command.command === 'stop' && isProfiling) {
    isProfiling = false;
    const { profile } = await session.post('Profiler.stop');
    const file = join(command.folder, `${command.name}.${threadId}.cpuprofile`);
    writeFileSync(file, JSON.stringify(profile));
  }
  return { done: command.command, thread: threadId };
}

workers.onmessage = (event) => {
  const message = (event as { readonly data: ProfileCommand | ProfileReport }).data;
  if (isMainThread) {
    if (!('done' in message)) return;
    // A worker that starts during a profile takes part in it.
    if (message.done === 'none') workers.postMessage(last);
    else process.send?.(message);
  } else if ('command' in message) {
    void obey(message).then((report) => workers.postMessage(report));
  }
};
workers.unref();
if (isMainThread) {
  process.on('message', (message) => {
    last = message as ProfileCommand;
    workers.postMessage(last);
    void obey(last).then((report) => process.send?.(report));
  });
  // Otherwise the channel would keep the server running after its last connection.
  process.channel?.unref();
} else {
  const report: ProfileReport = { done: 'none', thread: threadId };
  workers.postMessage(report);
}
