// What the soak saw, as Markdown: a line for each while, and how the last quarter stands to the first.
import { percentile } from './load.ts';
import type { Range } from './process-figures.ts';
import type { MixedTimes } from './soak-load.ts';

/** One while of the soak. */
export interface Sample extends MixedTimes {
  /** When it ended, from the start. */
  readonly minute: number;
  readonly seconds: number;
  /** The garbage that was not collected yet is the difference. */
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
      row(names.map((name) => shown(figures[name as keyof typeof figures]))),
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

/** The first while is left out: caches fill. */
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
  return `The last quarter beside the first, without the first while: ${ratios.join(', ')}.\n`;
}

function shown(value: number | undefined): string {
  if (value === undefined) return '';
  return value >= 100 || Number.isInteger(value) ? value.toFixed(0) : value.toFixed(2);
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
