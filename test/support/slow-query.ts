// A query that takes long, and documents to ask for it.

/** Far more than a query of this kind takes in a few milliseconds. */
const DOCUMENTS = 15_000;
const SLOW = '/(.*[aeiou]){3}.*x.*/ OR /.*q.{9}.*/ OR *a*b*c*d* OR NOT *e*f*g*';

/** A search that a few milliseconds are not enough for. */
export const SLOW_BODY = JSON.stringify({ query: { query: SLOW }, sort: ['-name', 'created'] });

/** What it looks through. */
export function slowDocuments(): Record<string, unknown>[] {
  return Array.from({ length: DOCUMENTS }, (_, n) => ({
    _type: 'role',
    id: `slow${n}`,
    name: `${(n * 2654435761).toString(36)} ${(n * 40503).toString(36)}`,
    description: `${(n * 7919).toString(36)}abcd${(n * 104729).toString(36)}`,
  }));
}
