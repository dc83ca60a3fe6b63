// Loaded into a node before it starts: the machine's clock as the process reads it, set ahead or back by what the file
// in DRILL_CLOCK says in milliseconds. It is read at the start, where it is there, and with each SIGUSR2. Timers, which no
// clock moves, are left alone.
import { existsSync, readFileSync } from 'node:fs';

const file = process.env['DRILL_CLOCK'] ?? '';
const machine = Date.now.bind(Date);
let offsetMs = existsSync(file) ? readOffset() : 0;

process.on('SIGUSR2', () => {
  offsetMs = readOffset();
});

function readOffset(): number {
  return Number(readFileSync(file, 'utf8'));
}

globalThis.Date = new Proxy(Date, {
  construct: (target, args) =>
    args.length === 0 ? new target(machine() + offsetMs) : Reflect.construct(target, args),
  get: (target, name) => (name === 'now' ? () => machine() + offsetMs : Reflect.get(target, name)),
});
