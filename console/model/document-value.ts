// Reads values of a document by dotted path, through objects and arrays as the service does. A
// member name may contain dots, as those of attributes can.
import type { Document } from './wire.ts';

/** All values at a path, with arrays flattened; empty if there is none. */
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

/** The values at a path in one line, objects as JSON. */
export function textAt(document: unknown, path: string): string {
  return valuesAt(document, path).map(textOf).join(', ');
}

/** A value in one line, an object as JSON. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The first scalar at one of the paths, as text; '' if there is none. */
export function firstText(document: unknown, ...paths: string[]): string {
  for (const path of paths) {
    const [value] = valuesAt(document, path);
    if (value !== undefined && typeof value !== 'object' && String(value) !== '')
      return String(value);
  }
  return '';
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z$/;

/** True if a text is a timestamp in the format of the service. */
export function isInstant(text: string): boolean {
  return INSTANT.test(text);
}

/** Formats a timestamp for display, in UTC as in queries: `2026-11-20 22:03`. */
export function instantText(instant: string): string {
  return `${instant.slice(0, 10)} ${instant.slice(11, 16)}`;
}

/** A time, or `Never`. */
export function instantOrNever(instant: string | null): string {
  return instant === null ? 'Never' : instantText(instant);
}
