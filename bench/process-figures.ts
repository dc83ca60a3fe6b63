// Figures of a process and of the machine from the kernel (Linux: /proc), the size of a folder, and what
// the reports of runs say of commit and machine.
import { execFileSync } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';

/** Clock ticks per second, the same on every Linux that Node supports. */
const TICKS_PER_SECOND = 100;

/** CPU seconds of a process, all threads. */
export function cpuSeconds(pid: number): number {
  const [user = 0, system = 0] = times(pid);
  return user + system;
}

/** CPU seconds of a process and of its descendants, running or ended, all threads. */
export function cpuSecondsWithChildren(pid: number): number {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    const parent = /^\d+$/.test(name) ? parentOf(Number(name)) : null;
    if (parent !== null) parents.set(Number(name), parent);
  }
  const isDescendant = (child: number): boolean => {
    const parent = parents.get(child);
    return parent !== undefined && (parent === pid || isDescendant(parent));
  };
  const all = [pid, ...[...parents.keys()].filter(isDescendant)];
  return all.reduce((sum, one) => sum + times(one).reduce((total, part) => total + part, 0), 0);
}

/** CPU seconds of several processes and of their descendants. */
export function cpuSecondsOfAll(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + cpuSecondsWithChildren(pid), 0);
}

/** null if the process has ended. */
function parentOf(pid: number): number | null {
  try {
    return Number(statFields(pid)[1]);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return null;
    throw error;
  }
}

/** CPU seconds of the ended children of this process. */
export function childrenCpuSeconds(): number {
  const [, , user = 0, system = 0] = times(process.pid);
  return user + system;
}

/** proc(5): utime, stime, cutime, cstime in seconds. */
function times(pid: number): number[] {
  return statFields(pid)
    .slice(11, 15)
    .map((ticks) => Number(ticks) / TICKS_PER_SECOND);
}

/** The fields after the program name, which may contain spaces: state, parent and so on. */
function statFields(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Resident memory of a process in MiB. */
export function residentMib(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

export interface Range {
  readonly least: number;
  readonly most: number;
}

/** Samples resident memory each second, since it varies with garbage collection. In MiB. */
export function watchResident(pid: number): { stop(): Range } {
  let least = residentMib(pid);
  let most = least;
  const sample = () => {
    const now = residentMib(pid);
    least = Math.min(least, now);
    most = Math.max(most, now);
  };
  const timer = setInterval(sample, 1000);
  return {
    stop() {
      clearInterval(timer);
      sample();
      return { least, most };
    },
  };
}

/** The number of threads of a process. */
export function threadCount(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/Threads:\s+(\d+)/.exec(status)?.[1] ?? 0);
}

/** The number of open files and sockets of a process. */
export function handleCount(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** Busy and total CPU seconds of the machine. */
export function machineSeconds(): { readonly busy: number; readonly all: number } {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  const ticks = line.split(/\s+/).slice(1, 9).map(Number);
  const all = ticks.reduce((sum, value) => sum + value, 0);
  const idle = (ticks[3] ?? 0) + (ticks[4] ?? 0);
  return { busy: (all - idle) / TICKS_PER_SECOND, all: all / TICKS_PER_SECOND };
}

/** Disk usage of the files below a folder in MiB. */
export function diskMib(folder: string): number {
  let blocks = 0;
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = lstatSync(join(folder, entry), { throwIfNoEntry: false });
    if (file?.isFile()) blocks += file.blocks;
  }
  return (blocks * 512) / 2 ** 20;
}

/** The commit of a checkout, `-dirty` behind it where files have changed. */
export function commitOf(folder: string): string {
  const command = ['describe', '--always', '--dirty'];
  return execFileSync('git', command, { cwd: folder, encoding: 'utf8' }).trim();
}

/** The lines of a report that say when, of what and on what machine it was measured. */
export function measuredOn(root: string): string[] {
  const load = loadavg().map((value) => value.toFixed(1));
  return [
    `- ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, commit ${commitOf(root)}`,
    `- ${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}, Node ${process.version}; load ${load.join(', ')}`,
  ];
}
