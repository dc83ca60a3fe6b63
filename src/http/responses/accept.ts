// Negotiates JSON or CSV by the Accept header (RFC 9110 section 12.5.1). JSON wins a tie, since
// SDKs list both.

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
