// Negotiates the form of a response by the Accept header (RFC 9110 section 12.5.1). JSON wins a tie,
// since SDKs list it with others.

/** `csv`: preferred to JSON; `csvOnly`: JSON is not acceptable. */
export type AcceptedForm = 'json' | 'csv' | 'csvOnly';

/** The form that an Accept header prefers; JSON if it accepts neither. */
export function acceptedForm(accept: string | undefined): AcceptedForm {
  if (accept === undefined || accept.trim() === '') return 'json';
  const ranges = accept.split(',').map(rangeOf);
  const json = quality(ranges, 'application', 'json');
  if (quality(ranges, 'text', 'csv') <= json) return 'json';
  return json > 0 ? 'csv' : 'csvOnly';
}

/** Media types of rows; the first of the best ones wins. */
const ROW_TYPES = [
  { format: 'json', type: 'application', subtype: 'json' },
  { format: 'ndjson', type: 'application', subtype: 'x-ndjson' },
  { format: 'ndjson', type: 'application', subtype: 'ndjson' },
  { format: 'csv', type: 'text', subtype: 'csv' },
] as const;

/** The form of rows that an Accept header prefers; JSON if it accepts none. */
export function acceptedRows(accept: string | undefined): 'json' | 'ndjson' | 'csv' {
  if (accept === undefined || accept.trim() === '') return 'json';
  const ranges = accept.split(',').map(rangeOf);
  const [best] = ROW_TYPES.map(({ format, type, subtype }) => {
    return { format, quality: quality(ranges, type, subtype) };
  }).sort((a, b) => b.quality - a.quality);
  return best !== undefined && best.quality > 0 ? best.format : 'json';
}

/** True if an Accept header names HTML, as those of browsers do, and does not prefer JSON. */
export function prefersHtml(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const ranges = accept.split(',').map(rangeOf);
  const names = ranges.some(({ type, subtype }) => type === 'text' && subtype === 'html');
  return names && quality(ranges, 'text', 'html') >= quality(ranges, 'application', 'json');
}

interface MediaRange {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
}

function rangeOf(text: string): MediaRange {
  const [media = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const [type = '', subtype = ''] = media.split('/');
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
  const value = Number(weight);
  return { type, subtype, quality: value >= 0 && value <= 1 ? value : 0 };
}

/** The quality of the most specific range that includes the type. */
function quality(ranges: readonly MediaRange[], type: string, subtype: string): number {
  const qualityOf = (rangeType: string, rangeSubtype: string): number | undefined =>
    ranges.find((range) => range.type === rangeType && range.subtype === rangeSubtype)?.quality;
  return qualityOf(type, subtype) ?? qualityOf(type, '*') ?? qualityOf('*', '*') ?? 0;
}
