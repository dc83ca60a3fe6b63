// Dates of attributes: the service reads and writes each in the format of its attribute, the
// console shows and takes all of them as `yyyy-mm-dd`, like every other date.
// Invariant: a date that is read in a format is written with the same characters.

/** The format of an attribute without one. */
const DEFAULT_FORMAT = 'mm/dd/yyyy';

/** `yyyy-mm-dd` of a date in a format; null if the text is not a date in it. */
export function isoOfDate(text: string, format: string | null | undefined): string | null {
  const pattern = format ?? DEFAULT_FORMAT;
  if (text.length !== pattern.length) return null;
  const part = (letters: string) => {
    const at = pattern.indexOf(letters);
    return at === -1 ? '' : text.slice(at, at + letters.length);
  };
  const iso = `${part('yyyy')}-${part('mm')}-${part('dd')}`;
  return isDay(iso) && dateInFormat(iso, format) === text ? iso : null;
}

/** A day as `yyyy-mm-dd` in the format of an attribute. */
export function dateInFormat(iso: string, format: string | null | undefined): string {
  const [year = '', month = '', day = ''] = iso.split('-');
  return (format ?? DEFAULT_FORMAT).replace('yyyy', year).replace('mm', month).replace('dd', day);
}

/** True if a text is an existing day as `yyyy-mm-dd`. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
