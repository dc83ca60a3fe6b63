// Formats numbers as Java's Double.toString does: the format of keys of range buckets and
// percentiles in responses.

/** `5` is `5.0`; from 1e7 on and below 1e-3 it has an exponent: `1.0E7`. */
export function doubleText(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  if (size >= 1e-3 && size < 1e7) {
    const text = String(value);
    return text.includes('.') ? text : `${text}.0`;
  }
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  return `${digits.includes('.') ? digits : `${digits}.0`}E${Number(exponent)}`;
}
