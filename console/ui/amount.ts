// Amounts as people read them.

const STEPS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;
const UNITS: readonly (readonly [name: string, seconds: number])[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

/** `1.2 MB`: of 1,000 each. */
export function bytesText(bytes: number): string {
  let [amount, step] = [bytes, 0];
  // What would be rounded to 1,000 is 1 of the next.
  while (amount >= (step === 0 ? 1_000 : 999.95) && step < STEPS.length - 1) {
    amount /= 1_000;
    step += 1;
  }
  return `${step === 0 ? amount : amount.toFixed(1)} ${STEPS[step]}`;
}

/** `3 hours`: in the largest unit that it has one of, rounded down. */
export function spanText(seconds: number): string {
  const [name, size] = UNITS.find(([, unit]) => seconds >= unit) ?? ['second', 1];
  const count = Math.floor(seconds / size);
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

/** `1,234`, or a dash where it is not known. */
export function countText(count: number | null): string {
  return count === null ? '–' : count.toLocaleString('en');
}
