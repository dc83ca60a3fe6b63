// What the kernel knows of a process and of the machine (Linux: /proc), and how large a folder is.
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Clock ticks of a second, the same on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/** Seconds of CPU that a process has used, all threads. */
export function cpuSeconds(pid: number): number {
  const [user = 0, system = 0] = times(pid);
  return user + system;
}

/** Seconds of CPU that the children of this process have used that have ended. */
export function childrenCpuSeconds(): number {
  const [, , user = 0, system = 0] = times(process.pid);
  return user + system;
}

/** proc(5): utime, stime, cutime, cstime in seconds. */
function times(pid: number): number[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the program may hold blanks; what follows it does not.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).map((ticks) => Number(ticks) / TICKS_PER_SECOND);
}

/** Memory of a process that is in RAM, in MiB. */
export function residentMib(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

export interface Range {
  readonly least: number;
  readonly most: number;
}

/** Looks at the memory of a process each second, since it swings between collections of garbage. `stop` tells, in MiB. */
export function watchResident(pid: number): { stop(): Range } {
  let least = residentMib(pid);
  let most = least;
  const look = () => {
    const now = residentMib(pid);
    least = Math.min(least, now);
    most = Math.max(most, now);
  };
  const timer = setInterval(look, 1000);
  return {
    stop() {
      clearInterval(timer);
      look();
      return { least, most };
    },
  };
}

/** Files and sockets that a process has open. */
export function handleCount(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** Seconds of CPU that the whole machine has been busy, and has had. */
export function machineSeconds(): { readonly busy: number; readonly all: number } {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  const ticks = line.split(/\s+/).slice(1, 9).map(Number);
  const all = ticks.reduce((sum, value) => sum + value, 0);
  const idle = (ticks[3] ?? 0) + (ticks[4] ?? 0);
  return { busy: (all - idle) / TICKS_PER_SECOND, all: all / TICKS_PER_SECOND };
}

/** What the files below a folder take on the disk, in MiB. */
export function diskMib(folder: string): number {
  let blocks = 0;
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = lstatSync(join(folder, entry), { throwIfNoEntry: false });
    if (file?.isFile()) blocks += file.blocks;
  }
  return (blocks * 512) / 2 ** 20;
}
