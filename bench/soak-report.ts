// Writes the soak test's results as Markdown: a row for each minute, and the last minute compared with
// the fifth, when caches are warm.
import { percentile } from './load.ts';
import type { Range } from './process-figures.ts';
import type { Memory, MixedTimes } from './soak-load.ts';

/** One minute of the soak test. */
export interface Sample extends MixedTimes {
  readonly minute: number;
  /** The range shows uncollected garbage. */
  readonly residentMib: Range;
  readonly memory: Memory;
  readonly threads: number;
  /** Open files, sockets included. */
  readonly handles: number;
  readonly diskMib: number;
}

/** The minute that the last one is compared with. */
const WARM_MINUTE = 5;

type Figures = Readonly<Record<string, number>>;

export function soakReport(samples: readonly Sample[], about: readonly string[]): string {
  const rows = samples.map((sample) => ({ minute: sample.minute, ...figuresOf(sample) }));
  const names = Object.keys(rows[0] ?? {});
  return [
    '# New questions during writes',
    '',
    ...about.map((line) => `- ${line}`),
    '- resident: least and most of the minute; heap and external: of the main thread; caches: `cardea_cache_bytes`',
    '',
    row(names),
    row(names.map(() => '---')),
    ...rows.map((figures) =>
      row(names.map((name) => format(figures[name as keyof typeof figures]))),
    ),
    '',
    ...drift(samples),
  ].join('\n');
}

function figuresOf(sample: Sample): Figures {
  const { readMs, writeMs, seconds, residentMib, memory, threads, handles, diskMib } = sample;
  return {
    'searches/s': readMs.length / seconds,
    'p50 ms': percentile(readMs, 0.5),
    'p99 ms': percentile(readMs, 0.99),
    'writes/s': writeMs.length / seconds,
    'write p50 ms': percentile(writeMs, 0.5),
    'write p99 ms': percentile(writeMs, 0.99),
    'least resident MiB': residentMib.least,
    'most resident MiB': residentMib.most,
    'heap MiB': memory.heapMib,
    'external MiB': memory.externalMib,
    ...Object.fromEntries(
      Object.entries(memory.cachesMib).map(([cache, mib]) => [`cached ${cache} MiB`, mib]),
    ),
    threads,
    handles,
    'disk MiB': diskMib,
  };
}

/** Empty before the last minute is later than the warm one. */
function drift(samples: readonly Sample[]): string[] {
  const warm = samples[WARM_MINUTE - 1];
  const last = samples.at(-1);
  if (warm === undefined || last === undefined || last === warm) return [];
  const [before, after] = [figuresOf(warm), figuresOf(last)];
  const ratios = Object.keys(before).map(
    (name) => `${name} × ${((after[name] ?? 0) / (before[name] || 1)).toFixed(2)}`,
  );
  return [`Minute ${last.minute} compared with minute ${warm.minute}: ${ratios.join(', ')}.\n`];
}

function format(value: number | undefined): string {
  if (value === undefined) return '';
  return value >= 100 || Number.isInteger(value) ? value.toFixed(0) : value.toFixed(2);
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
