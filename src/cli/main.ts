#!/usr/bin/env node
// The executable: joins the command line to the process it runs in.
import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import type { Context } from './context.ts';
import { run } from './program.ts';
import { StopSignal } from './stop-signal.ts';
import { Terminal } from './terminal.ts';

// V8 makes objects old from their birth where many made at the same place have grown old. After a start, which makes much
// that stays, it does so with what requests make: each then outlives its answer until the whole heap is collected, and so
// does all that it holds.
setFlagsFromString('--no-allocation-site-pretenuring');

/** The version of the package this file is part of, some directories up. */
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

/** A reader that has gone away (`cardea … | head`) is no fault. */
function leaveQuietly(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
}

const now = (): number => Date.now();
const stop = new StopSignal(process, now, (code) => process.exit(code));
process.stdout.on('error', leaveQuietly);
process.stderr.on('error', leaveQuietly);
const context: Context = {
  env: process.env,
  terminal: new Terminal(process.stdout, process.stderr, now),
  stop,
  stdin: process.stdin,
  now,
  version: version(),
  exitCode: 0,
};
process.exitCode = await run(process.argv.slice(2), context);
stop.dispose();
