// Parses the Prometheus text format.
// Invariant: an unknown line is an error.

export interface Figures {
  /** Names of all metrics with a HELP line. */
  readonly names: ReadonlySet<string>;
  /** undefined if there is no such series. */
  value(name: string, labels: Readonly<Record<string, string>>): number | undefined;
}

/** @throws Error for a line that is neither a comment nor a sample */
export function figuresOf(text: string): Figures {
  const names = new Set<string>();
  const samples = new Map<string, number>();
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [, named] = /^# (?:HELP|TYPE) (\w+) /.exec(line) ?? [];
    if (named !== undefined) {
      names.add(named);
      continue;
    }
    const [, name = '', labels = '', value] =
      /^(\w+)(?:\{(.*)\})? (-?[\d.e+-]+|NaN|[+-]?Inf)$/i.exec(line) ?? [];
    if (value === undefined) throw new Error(`${line}: not a sample`);
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
    const labelValues = Object.fromEntries(pairs.map(([, label = '', text = '']) => [label, text]));
    samples.set(keyOf(name, labelValues), Number(value.replace(/Inf$/i, 'Infinity')));
  }
  return { names, value: (name, labels) => samples.get(keyOf(name, labels)) };
}

function keyOf(name: string, labels: Readonly<Record<string, string>>): string {
  return `${name} ${JSON.stringify(Object.entries(labels).sort())}`;
}
