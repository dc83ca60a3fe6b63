// Summarises CPU profiles as text: the functions with the largest self time over all threads.

/** The parts of V8's profile format that are used (Chrome DevTools Protocol, `Profiler.Profile`). */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: {
      readonly functionName: string;
      readonly url: string;
      /** From 0. */
      readonly lineNumber: number;
    };
  }[];
  /** Ids of nodes, in the order of time. */
  readonly samples: readonly number[];
  /** Microseconds from a sample to the next. */
  readonly timeDeltas: readonly number[];
}

const FUNCTIONS_MAX = 30;
const FUNCTION_WIDTH = 44;

/** @param profiles one for each thread */
export function profileSummary(cell: string, profiles: readonly CpuProfile[]): string {
  const times = selfTimesMs(profiles);
  const idleMs = times.get('(idle)') ?? 0;
  times.delete('(idle)');
  const busyMs = [...times.values()].reduce((sum, ms) => sum + ms, 0);
  const top = [...times].sort(([, one], [, other]) => other - one).slice(0, FUNCTIONS_MAX);
  return [
    `${cell}: ${profiles.length} threads, busy ${busyMs.toFixed(0)} ms, idle ${idleMs.toFixed(0)} ms`,
    '',
    ...top.map(([place, ms]) => {
      const share = `${((ms / busyMs) * 100).toFixed(1)} %`.padStart(7);
      return `${share} ${ms.toFixed(0).padStart(7)} ms  ${place}`;
    }),
    '',
  ].join('\n');
}

/** Self time by function and place, in milliseconds. */
function selfTimesMs(profiles: readonly CpuProfile[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const { nodes, samples, timeDeltas } of profiles) {
    const places = new Map(nodes.map(({ id, callFrame }) => [id, placeOf(callFrame)]));
    for (const [at, id] of samples.entries()) {
      const place = places.get(id) ?? '(unknown)';
      // The time until the next sample belongs to this one.
      times.set(place, (times.get(place) ?? 0) + (timeDeltas[at + 1] ?? 0) / 1000);
    }
  }
  return times;
}

/** `name  file:line`, the file without the folders above the build. */
function placeOf(frame: CpuProfile['nodes'][number]['callFrame']): string {
  const { functionName, url, lineNumber } = frame;
  if (url === '') return functionName;
  const name = (functionName === '' ? '(anonymous)' : functionName).padEnd(FUNCTION_WIDTH);
  return `${name} ${url.replace(/^.*\/(?:dist\/|(?=node_modules\/))/, '')}:${lineNumber + 1}`;
}
