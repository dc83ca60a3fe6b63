// Reads bench/hostile.json: requests that try to block the event loop. Bodies may have generators,
// to keep the file readable: `{"$list": 3, "of": "a$n"}` means ["a0", "a1", "a2"], `{"$map": 3,
// "of": 1}` an object with three members, `{"$text": 3, "of": "a$n", "between": " OR "}` "a0 OR a1
// OR a2".
import { readFileSync } from 'node:fs';

/** An entry of bench/hostile.json, ready to send. */
export interface HostileRequest {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  /** Includes the query parameters. */
  readonly path: string;
  /** The Accept header; empty for none. */
  readonly accept: string;
  /** Number of concurrent requests. */
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
      body: body === undefined ? '' : JSON.stringify(expand(body, '')),
    }));
}

function pathOf(path: string): string {
  if (path.startsWith('/')) return path;
  return `/v2024/${path}${path.includes('?') ? '&' : '?limit=10&'}count=true`;
}

/** Expands the generators of a value; `$n` in strings becomes `n`. */
function expand(value: unknown, n: string): unknown {
  if (typeof value === 'string') return value.replaceAll('$n', n);
  if (Array.isArray(value)) return value.map((item) => expand(item, n));
  if (typeof value !== 'object' || value === null) return value;
  const { $list, $map, $text, of, between, ...members } = value as Record<string, unknown>;
  if (typeof $list === 'number') return repeated($list, of);
  if (typeof $text === 'number') return repeated($text, of).join(String(between));
  if (typeof $map === 'number') {
    return Object.fromEntries(repeated($map, of).map((item, at) => [`m${at}`, item]));
  }
  const entries = Object.entries({ ...members, ...(of !== undefined && { of }) });
  return Object.fromEntries(entries.map(([name, member]) => [name, expand(member, n)]));
}

function repeated(count: number, of: unknown): unknown[] {
  return Array.from({ length: count }, (_, at) => expand(of, String(at)));
}
