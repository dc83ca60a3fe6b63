// JSON Patch (RFC 6902) over JSON Pointer (RFC 6901). Two steps: readPatch judges the shape of a body, before
// anything is looked up; applyOperation does one operation on a value the caller owns.
// Invariant: only own members are read, and a member is defined, never assigned, so `__proto__` is a name like
// any other; applyPatch works on a copy, so a patch that fails half-way leaves nothing.
import { ServiceError } from '../errors.ts';

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | JsonValue[]
  | { [member: string]: JsonValue };

/** A pointer's reference tokens, unescaped; empty for the whole document. */
export type Pointer = readonly string[];

/** One operation whose shape is sound; members it does not use are dropped (RFC 6902 section 4). */
export type PatchOperation =
  | {
      readonly op: 'add' | 'replace' | 'test';
      readonly path: Pointer;
      readonly value: JsonValue;
    }
  | { readonly op: 'remove'; readonly path: Pointer }
  | { readonly op: 'move' | 'copy'; readonly from: Pointer; readonly path: Pointer };

/** An operation that cannot be done on this document. */
export class PatchConflict extends Error {
  override readonly name = 'PatchConflict';
}

const OPERATIONS: ReadonlySet<string> = new Set([
  'add',
  'remove',
  'replace',
  'move',
  'copy',
  'test',
]);
const BAD_ESCAPE = /~(?![01])/;
const INDEX = /^(?:0|[1-9]\d*)$/;

/**
 * Judges the shape of a patch: an array of operations, each with its members and real pointers.
 * @throws ServiceError `request_invalid`, with the operation's position as cause
 */
export function readPatch(body: unknown): PatchOperation[] {
  if (!Array.isArray(body)) {
    throw new ServiceError('request_invalid', 'A JSON Patch is an array of operations.', {
      causes: ['the body is not an array'],
    });
  }
  return body.map((item: unknown, position) => readOperation(item, position));
}

/** Unescapes a pointer (RFC 6901 section 4), or null where it is none. */
export function parsePointer(text: string): Pointer | null {
  if (text !== '' && (!text.startsWith('/') || BAD_ESCAPE.test(text))) return null;
  return text
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The pointer as written. */
export function formatPointer(pointer: Pointer): string {
  return pointer.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/**
 * Applies a whole patch to a copy.
 * @throws PatchConflict at the first operation that cannot be done
 */
export function applyPatch(document: JsonValue, operations: readonly PatchOperation[]): JsonValue {
  let result = structuredClone(document);
  for (const operation of operations) result = applyOperation(result, operation);
  return result;
}

/**
 * Applies one operation in place.
 * @returns the document, which is another value where the whole of it was replaced
 * @throws PatchConflict
 */
export function applyOperation(document: JsonValue, operation: PatchOperation): JsonValue {
  switch (operation.op) {
    case 'add':
      return add(document, operation.path, structuredClone(operation.value));
    case 'remove':
      return remove(document, operation.path);
    case 'replace':
      return replace(document, operation.path, structuredClone(operation.value));
    case 'move': {
      const { from, path } = operation;
      const value = get(document, from);
      if (samePointer(from, path)) return document;
      if (isPrefix(from, path)) throw new PatchConflict('a value cannot move into itself');
      return add(remove(document, from), path, value);
    }
    case 'copy':
      return add(document, operation.path, structuredClone(get(document, operation.from)));
    case 'test':
      if (!equal(get(document, operation.path), operation.value)) {
        throw new PatchConflict('the value is not the one tested for');
      }
      return document;
  }
}

/** Whether one pointer names a value inside the one of another, or the same. */
export function isPrefix(prefix: Pointer, pointer: Pointer): boolean {
  return prefix.length <= pointer.length && prefix.every((token, i) => token === pointer[i]);
}

/** Whether two pointers are the same. */
export function samePointer(one: Pointer, other: Pointer): boolean {
  return one.length === other.length && isPrefix(one, other);
}

/** Whether a reference token is an array index: digits without a leading zero. */
export function isArrayIndex(token: string): boolean {
  return INDEX.test(token);
}

/** Equality as the operation `test` means it (RFC 6902 section 4.6): members in any order, elements in theirs. */
export function equal(one: JsonValue, other: JsonValue): boolean {
  if (one === other) return true;
  if (one === null || other === null || typeof one !== 'object' || typeof other !== 'object') {
    return false;
  }
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
    return one.every((item, i) => equal(item, other[i] as JsonValue));
  }
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every(
      (name) =>
        Object.hasOwn(other, name) && equal(one[name] as JsonValue, other[name] as JsonValue),
    )
  );
}

function readOperation(item: unknown, position: number): PatchOperation {
  const fail = (reason: string): never => {
    throw new ServiceError('request_invalid', 'The JSON Patch is not well formed.', {
      causes: [`operation ${position}: ${reason}`],
    });
  };
  if (typeof item !== 'object' || item === null || Array.isArray(item)) {
    return fail('not an object');
  }
  const members = new Map<string, unknown>(Object.entries(item));
  const pointer = (name: 'path' | 'from'): Pointer => {
    const text = members.get(name);
    if (typeof text !== 'string') return fail(`the member "${name}" must be a string`);
    return parsePointer(text) ?? fail(`the member "${name}" is not a JSON Pointer`);
  };
  const op = members.get('op');
  if (typeof op !== 'string' || !OPERATIONS.has(op)) {
    return fail('the member "op" must be one of add, remove, replace, move, copy, test');
  }
  const path = pointer('path');
  switch (op as PatchOperation['op']) {
    case 'remove':
      return { op: 'remove', path };
    case 'move':
    case 'copy':
      return { op: op as 'move' | 'copy', from: pointer('from'), path };
    case 'add':
    case 'replace':
    case 'test': {
      const value = members.get('value');
      if (value === undefined) return fail('the member "value" is missing');
      return { op: op as 'add' | 'replace' | 'test', path, value: value as JsonValue };
    }
  }
}

/** The existing value at a pointer. */
function get(document: JsonValue, pointer: Pointer): JsonValue {
  let value = document;
  for (const token of pointer) {
    if (Array.isArray(value)) {
      value = value[indexOf(value, token, value.length - 1)] as JsonValue;
    } else if (isObject(value) && Object.hasOwn(value, token)) {
      value = value[token] as JsonValue;
    } else {
      throw new PatchConflict(`there is no value at ${formatPointer(pointer)}`);
    }
  }
  return value;
}

function add(document: JsonValue, pointer: Pointer, value: JsonValue): JsonValue {
  const last = pointer.at(-1);
  if (last === undefined) return value;
  const parent = get(document, pointer.slice(0, -1));
  if (Array.isArray(parent)) {
    const index = last === '-' ? parent.length : indexOf(parent, last, parent.length);
    parent.splice(index, 0, value);
  } else if (isObject(parent)) {
    define(parent, last, value);
  } else {
    throw new PatchConflict(`nothing can be added at ${formatPointer(pointer)}`);
  }
  return document;
}

/** The whole document removed is null, there being no other way to say so. */
function remove(document: JsonValue, pointer: Pointer): JsonValue {
  get(document, pointer);
  const last = pointer.at(-1);
  if (last === undefined) return null;
  const parent = get(document, pointer.slice(0, -1));
  if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else if (isObject(parent)) delete parent[last];
  return document;
}

function replace(document: JsonValue, pointer: Pointer, value: JsonValue): JsonValue {
  get(document, pointer);
  const last = pointer.at(-1);
  if (last === undefined) return value;
  const parent = get(document, pointer.slice(0, -1));
  if (Array.isArray(parent)) parent[Number(last)] = value;
  else if (isObject(parent)) define(parent, last, value);
  return document;
}

function indexOf(array: readonly JsonValue[], token: string, max: number): number {
  if (!INDEX.test(token)) throw new PatchConflict(`"${token}" is not an array index`);
  const index = Number(token);
  if (index > max) {
    throw new PatchConflict(`index ${token} is outside an array of ${array.length}`);
  }
  return index;
}

function isObject(value: JsonValue): value is { [member: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function define(target: { [member: string]: JsonValue }, name: string, value: JsonValue): void {
  Object.defineProperty(target, name, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}
