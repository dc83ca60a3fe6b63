// An import line with a record instead of a document: its members by name. Duplicate members are
// rejected, because one of the two would be lost.

import { duplicateMember } from '../../json/json-naming.ts';
import { parseDocument } from './document-normaliser.ts';
import { countMembers, DocumentFault } from './document-shape.ts';

/** A JSON object by member name. */
export type Json = Readonly<Record<string, unknown>>;

/** The value at a path of members; undefined if there is none. */
export function memberAt(value: Json, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, name) => (typeof at === 'object' && at !== null ? (at as Json)[name] : undefined),
    value,
  );
}

/** @throws DocumentFault naming the fault */
export function parseRecord(text: Uint8Array | string): Json {
  const { bytes, value, scan } = parseDocument(text);
  if (countMembers(value) !== scan.memberTotal) {
    throw new DocumentFault(`the member ${duplicateMember(bytes.toString())} appears twice`);
  }
  return value;
}
