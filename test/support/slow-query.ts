// A slow query, and documents for it.

/** Enough that the query takes much more than a few milliseconds. */
const DOCUMENTS = 15_000;
const SLOW = '/(.*[aeiou]){3}.*x.*/ OR /.*q.{9}.*/ OR *a*b*c*d* OR NOT *e*f*g*';

/** A search that takes more than a few milliseconds. */
export const SLOW_BODY = JSON.stringify({ query: { query: SLOW }, sort: ['-name', 'created'] });

/** The documents to search. */
export function slowDocuments(): Record<string, unknown>[] {
  return Array.from({ length: DOCUMENTS }, (_, n) => ({
    _type: 'role',
    id: `slow${n}`,
    name: `${(n * 2654435761).toString(36)} ${(n * 40503).toString(36)}`,
    description: `${(n * 7919).toString(36)}abcd${(n * 104729).toString(36)}`,
  }));
}
