// Writes the soak test's results as Markdown: a row for each sample, and the ratio of the last
// quarter to the first.
import { percentile } from './load.ts';
import type { Range } from './process-figures.ts';
import type { MixedTimes } from './soak-load.ts';

/** One period of the soak test. */
export interface Sample extends MixedTimes {
  /** Its end, from the start. */
  readonly minute: number;
  readonly seconds: number;
  /** The range shows uncollected garbage. */
  readonly residentMib: Range;
  /** Open files, sockets included. */
  readonly handles: number;
  readonly diskMib: number;
}

type Figures = Readonly<Record<string, number>>;

export function soakReport(samples: readonly Sample[], about: readonly string[]): string {
  const rows = samples.map((sample) => ({ minute: sample.minute, ...figuresOf(sample) }));
  const names = Object.keys(rows[0] ?? {});
  return [
    '# An hour of mixed load',
    '',
    ...about.map((line) => `- ${line}`),
    '',
    row(names),
    row(names.map(() => '---')),
    ...rows.map((figures) =>
      row(names.map((name) => format(figures[name as keyof typeof figures]))),
    ),
    '',
    ...(samples.length < 4 ? [] : [drift(samples)]),
  ].join('\n');
}

function figuresOf({ readMs, writeMs, seconds, residentMib, handles, diskMib }: Sample): Figures {
  return {
    'searches/s': readMs.length / seconds,
    'p50 ms': percentile(readMs, 0.5),
    'p99 ms': percentile(readMs, 0.99),
    'writes/s': writeMs.length / seconds,
    'write p50 ms': percentile(writeMs, 0.5),
    'write p99 ms': percentile(writeMs, 0.99),
    'least resident MiB': residentMib.least,
    'most resident MiB': residentMib.most,
    handles,
    'disk MiB': diskMib,
  };
}

/** Leaves out the first sample, during which caches fill. */
function drift(samples: readonly Sample[]): string {
  const warm = samples.slice(1);
  const quarter = Math.max(1, Math.floor(warm.length / 4));
  const mean = (of: readonly Sample[]): Figures => {
    const all = of.map(figuresOf);
    return Object.fromEntries(
      Object.keys(all[0] ?? {}).map((name) => [
        name,
        all.reduce((sum, figures) => sum + (figures[name] ?? 0), 0) / all.length,
      ]),
    );
  };
  const first = mean(warm.slice(0, quarter));
  const last = mean(warm.slice(-quarter));
  const ratios = Object.keys(first).map(
    (name) => `${name} × ${((last[name] ?? 0) / (first[name] || 1)).toFixed(2)}`,
  );
  return `The last quarter compared with the first, without the first sample: ${ratios.join(', ')}.\n`;
}

function format(value: number | undefined): string {
  if (value === undefined) return '';
  return value >= 100 || Number.isInteger(value) ? value.toFixed(0) : value.toFixed(2);
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
