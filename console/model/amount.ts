// Formats of byte sizes, durations and counts.

const STEPS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;
const UNITS: readonly (readonly [name: string, seconds: number])[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

/** `1.2 MB`, with decimal units. */
export function bytesText(bytes: number): string {
  let [amount, step] = [bytes, 0];
  // From 999.95 on, a value would be printed as 1000.0, so it takes the next unit.
  while (amount >= (step === 0 ? 1_000 : 999.95) && step < STEPS.length - 1) {
    amount /= 1_000;
    step += 1;
  }
  return `${step === 0 ? amount : amount.toFixed(1)} ${STEPS[step]}`;
}

/** `3 hours`: in the largest unit that is not more than the duration, rounded down. */
export function spanText(seconds: number): string {
  const [name, size] = UNITS.find(([, unit]) => seconds >= unit) ?? ['second', 1];
  const count = Math.floor(seconds / size);
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

/** `1 hour 30 minutes`: in full, such as a limit. */
export function durationText(seconds: number): string {
  const parts: string[] = [];
  let rest = Math.floor(seconds);
  for (const [, size] of UNITS) {
    if (rest >= size) parts.push(spanText(rest - (rest % size)));
    rest %= size;
  }
  return parts.length === 0 ? spanText(0) : parts.join(' ');
}

/** `1 document`, `1,234 documents`. @param noun a regular one, in the singular */
export function countedText(count: number, noun: string): string {
  return `${countText(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** `1,234`, or a dash if unknown. */
export function countText(count: number | null): string {
  return count === null ? '–' : count.toLocaleString('en');
}
