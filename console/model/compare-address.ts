// The address of a comparison of two people, which can be shared.

/** @param second '' until a person is chosen */
export function compareAddress(
  first: string,
  second: string,
  show: 'all' | 'differences' = 'all',
): string {
  const path = [first, ...(second === '' ? [] : [second])].map(encodeURIComponent).join('/');
  return `#/compare/${path}${show === 'differences' ? '?show=differences' : ''}`;
}
