#!/usr/bin/env node
// The executable: connects the command line to the process.
import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import type { Channel, Context } from './common/context.ts';
import { StopSignal } from './common/stop-signal.ts';
import { Terminal } from './common/terminal.ts';
import { run } from './program.ts';

// V8 allocates objects directly in the old generation if many from the same site survived. The
// start allocates many long-lived objects, after which V8 would pretenure objects of requests too,
// and keep them and all they reference until a full collection.
setFlagsFromString('--no-allocation-site-pretenuring');

/** Reads the version from the nearest package.json above this file. */
function version(): string {
  for (let url = new URL('.', import.meta.url); url.pathname !== '/'; url = new URL('..', url)) {
    try {
      const text = readFileSync(new URL('package.json', url), 'utf8');
      return String((JSON.parse(text) as { version: unknown }).version);
    } catch {
      // Not in this directory.
    }
  }
  return 'unknown';
}

/** Exits without an error if the reader of the output has closed it (`cardea … | head`). */
function exitOnClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
}

/** The channel of a process that was started by `fork`. */
function parentChannel(): Channel | null {
  if (process.send === undefined) return null;
  return {
    send(message) {
      // A message to a program that has ended is lost: `onClosed` tells of the end.
      if (process.connected) process.send?.(message, undefined, undefined, () => {});
    },
    onMessage: (listener) => process.on('message', listener),
    onClosed(listener) {
      if (process.connected) process.once('disconnect', listener);
      else listener();
    },
    close() {
      if (process.connected) process.disconnect();
    },
  };
}

const now = (): number => Date.now();
const stop = new StopSignal(process, now, (code) => process.exit(code));
process.stdout.on('error', exitOnClosedPipe);
process.stderr.on('error', exitOnClosedPipe);
const context: Context = {
  env: process.env,
  terminal: new Terminal(process.stdout, process.stderr, now),
  stop,
  stdin: process.stdin,
  now,
  version: version(),
  channel: parentChannel(),
  exitCode: 0,
};
process.exitCode = await run(process.argv.slice(2), context);
stop.dispose();
