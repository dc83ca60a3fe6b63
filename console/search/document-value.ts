// Values of a document by dotted path, as the service reads them: through objects and arrays alike. A name that has
// a dot of its own (attributes may) is found as well.
import type { Document } from '../api/wire.ts';

/** All values at a path, arrays opened; empty where there is none. */
export function valuesAt(document: unknown, path: string): unknown[] {
  if (Array.isArray(document)) return document.flatMap((item) => valuesAt(item, path));
  if (path === '') return document === null || document === undefined ? [] : [document];
  if (typeof document !== 'object' || document === null) return [];
  const members = document as Document;
  if (Object.hasOwn(members, path)) return valuesAt(members[path], '');
  for (let dot = path.indexOf('.'); dot !== -1; dot = path.indexOf('.', dot + 1)) {
    const name = path.slice(0, dot);
    if (Object.hasOwn(members, name)) return valuesAt(members[name], path.slice(dot + 1));
  }
  return [];
}

/** One line for a cell: values side by side, objects as JSON. */
export function textAt(document: unknown, path: string): string {
  return valuesAt(document, path).map(textOf).join(', ');
}

/** A value in a line. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The first text at one of the paths; '' where there is none. */
export function firstText(document: unknown, ...paths: string[]): string {
  for (const path of paths) {
    const [value] = valuesAt(document, path);
    if (value !== undefined && typeof value !== 'object' && String(value) !== '')
      return String(value);
  }
  return '';
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z$/;

/** Whether a text is an instant as the service writes them. */
export function isInstant(text: string): boolean {
  return INSTANT.test(text);
}

/** An instant as people read it, in UTC like everything in queries: `2026-11-20 22:03`. */
export function instantText(instant: string): string {
  return `${instant.slice(0, 10)} ${instant.slice(11, 16)}`;
}
