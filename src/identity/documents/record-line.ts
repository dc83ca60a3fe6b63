// A line of an import that holds a record and no document: its members, once each. A member that stands there twice is
// refused, since one of the two would be lost.

import { duplicateMember } from '../json/json-naming.ts';
import { parseDocument } from './document-normaliser.ts';
import { countMembers, DocumentFault } from './document-shape.ts';

/** A JSON object by the names of its members. */
export type Json = Readonly<Record<string, unknown>>;

/** @throws DocumentFault naming what is wrong */
export function parseRecord(text: Uint8Array | string): Json {
  const { bytes, value, scan } = parseDocument(text);
  if (countMembers(value) !== scan.memberTotal) {
    throw new DocumentFault(`the member ${duplicateMember(bytes.toString())} stands there twice`);
  }
  return value;
}
