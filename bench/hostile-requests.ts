// Requests that try to hold the event loop, as bench/hostile.json lists them. A body may hold generators, so that the file
// stays readable: `{"$list": 3, "of": "a$n"}` stands for ["a0", "a1", "a2"], `{"$map": 3, "of": 1}` for an object of three
// members, and `{"$text": 3, "of": "a$n", "between": " OR "}` for "a0 OR a1 OR a2".
import { readFileSync } from 'node:fs';

/** One line of bench/hostile.json, ready to be sent. */
export interface HostileRequest {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  /** With parameters. */
  readonly path: string;
  /** The Accept header; empty for none. */
  readonly accept: string;
  /** How many are sent at once. */
  readonly times: number;
  /** JSON; empty for none. */
  readonly body: string;
}

interface Line {
  readonly name: string;
  readonly method?: 'GET' | 'POST';
  readonly path?: string;
  readonly accept?: string;
  readonly times?: number;
  readonly body?: unknown;
}

/**
 * Reads the requests of a file.
 * @param part only requests whose name contains this
 */
export function readHostileRequests(file: string, part = ''): readonly HostileRequest[] {
  const lines: Line[] = JSON.parse(readFileSync(file, 'utf8'));
  return lines
    .filter(({ name }) => name.includes(part))
    .map(({ name, method = 'POST', path = 'search', accept = '', times = 1, body }) => ({
      ...{ name, method, path: pathOf(path), accept, times },
      body: body === undefined ? '' : JSON.stringify(generated(body, '')),
    }));
}

function pathOf(path: string): string {
  if (path.startsWith('/')) return path;
  return `/v2024/${path}${path.includes('?') ? '&' : '?limit=10&'}count=true`;
}

/** The value with its generators run; `$n` in strings becomes `n`. */
function generated(value: unknown, n: string): unknown {
  if (typeof value === 'string') return value.replaceAll('$n', n);
  if (Array.isArray(value)) return value.map((item) => generated(item, n));
  if (typeof value !== 'object' || value === null) return value;
  const { $list, $map, $text, of, between, ...members } = value as Record<string, unknown>;
  if (typeof $list === 'number') return repeated($list, of);
  if (typeof $text === 'number') return repeated($text, of).join(String(between));
  if (typeof $map === 'number') {
    return Object.fromEntries(repeated($map, of).map((item, at) => [`m${at}`, item]));
  }
  const entries = Object.entries({ ...members, ...(of !== undefined && { of }) });
  return Object.fromEntries(entries.map(([name, member]) => [name, generated(member, n)]));
}

function repeated(count: number, of: unknown): unknown[] {
  return Array.from({ length: count }, (_, at) => generated(of, String(at)));
}
