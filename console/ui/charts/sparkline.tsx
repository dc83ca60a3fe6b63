// A small line without axes, next to a figure that says the same in words.
/** @param title shown while the pointer rests on the line */
export function Sparkline({ values, title }: { values: readonly number[]; title: string }) {
  const most = Math.max(1, ...values);
  const last = Math.max(1, values.length - 1);
  const points = values.map((value, at) => {
    const x = (100 * at) / last;
    return `${x.toFixed(2)},${(23 - (22 * value) / most).toFixed(2)}`;
  });
  return (
    <svg class="sparkline" viewBox="0 0 100 24" preserveAspectRatio="none" aria-hidden="true">
      <title>{title}</title>
      <polyline points={points.join(' ')} />
    </svg>
  );
}
