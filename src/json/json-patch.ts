// JSON Patch (RFC 6902), for routes that take application/json-patch+json. `readPatch` checks the
// shape of a body before any lookup; `applyPatch` works on a copy, so a failed patch changes
// nothing. Limits apply to the number of operations, the amount written and the depth; values are
// measured before they are written. Unlike RFC 6902, a value cannot be copied into itself, and a
// removal that names a value removes no other, as the vendor's guide to patches says.
// Invariant: only own members are read, and members are defined, not assigned, so `__proto__` is an
// ordinary name.
import { ServiceError } from '../errors.ts';
import { refuseAbsentBody } from './absent-body.ts';
import {
  formatPointer,
  isArrayIndex,
  isPrefix,
  type Pointer,
  parsePointer,
  samePointer,
} from './json-pointer.ts';

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | JsonValue[]
  | { [member: string]: JsonValue };

/** A well-formed operation; unused members are dropped (RFC 6902 section 4). */
export type PatchOperation =
  | {
      readonly op: 'add' | 'replace' | 'test';
      readonly path: Pointer;
      readonly value: JsonValue;
    }
  /** With a value, what is removed must equal it. */
  | { readonly op: 'remove'; readonly path: Pointer; readonly value?: JsonValue }
  | { readonly op: 'move' | 'copy'; readonly from: Pointer; readonly path: Pointer };

/** An operation that cannot be applied to this document. */
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
/** Maximum number of operations per patch. */
const MAX_OPERATIONS = 100;
/**
 * Maximum JSON characters that one patch may write: all values that it adds, replaces, copies and
 * moves.
 */
export const MAX_WRITTEN_LENGTH = 65_536;
/** Maximum depth of arrays and objects at which a patch may write. */
export const MAX_DEPTH = 64;

/**
 * Checks the shape of a patch: an array of at most MAX_OPERATIONS operations, each with its members
 * and valid pointers.
 * @throws ServiceError `body_malformed` without a body, `request_invalid` with the operation's
 * position as cause, `limit_exceeded`
 */
export function readPatch(body: unknown): PatchOperation[] {
  refuseAbsentBody(body);
  if (!Array.isArray(body)) {
    throw new ServiceError('request_invalid', 'A JSON Patch is an array of operations.', {
      causes: ['the body is not an array'],
    });
  }
  if (body.length > MAX_OPERATIONS) {
    throw new ServiceError('limit_exceeded', 'The JSON Patch has too many operations.', {
      causes: [`${body.length} operations; send at most ${MAX_OPERATIONS} in one request`],
    });
  }
  return body.map((item: unknown, position) => readOperation(item, position));
}

/**
 * Rejects a patch that reads or writes a member of the document other than `patchable`, whatever
 * the document is.
 * @throws ServiceError `illegal_update`, with the pointer as cause
 */
export function refuseOtherMembers(
  operations: readonly PatchOperation[],
  patchable: readonly string[],
): void {
  for (const operation of operations) {
    const pointers = 'from' in operation ? [operation.path, operation.from] : [operation.path];
    for (const pointer of pointers) {
      if (pointer[0] !== undefined && patchable.includes(pointer[0])) continue;
      throw new ServiceError('illegal_update', `Only ${patchable.join(', ')} can be changed.`, {
        causes: [`path ${JSON.stringify(formatPointer(pointer))}`],
      });
    }
  }
}

/**
 * Applies a patch to a copy of the document. The result is at most MAX_WRITTEN_LENGTH characters
 * longer than the document.
 * @param prepare checks or replaces each operation before it is applied; may throw PatchConflict
 * @throws PatchConflict at the first operation that cannot be applied or exceeds a limit, naming
 * its position
 */
export function applyPatch(
  document: JsonValue,
  operations: readonly PatchOperation[],
  prepare: (operation: PatchOperation) => PatchOperation = (operation) => operation,
): JsonValue {
  let result = structuredClone(document);
  let room = MAX_WRITTEN_LENGTH;
  for (const [position, operation] of operations.entries()) {
    try {
      refuseOtherValue(result, operation);
      const prepared = prepare(operation);
      room -= writtenLength(result, prepared, room);
      result = applyOperation(result, prepared);
    } catch (error) {
      if (!(error instanceof PatchConflict)) throw error;
      throw new PatchConflict(`operation ${position} (${operation.op}): ${error.message}`);
    }
  }
  return result;
}

/** @throws PatchConflict for a removal that names another value than the one at its path */
function refuseOtherValue(document: JsonValue, operation: PatchOperation): void {
  if (operation.op !== 'remove' || operation.value === undefined) return;
  const { path, value } = operation;
  if (equal(get(document, path), value)) return;
  throw new PatchConflict(
    `the value at ${formatPointer(path)} is not the one to remove; send the path of that one, or no "value"`,
  );
}

/**
 * The number of JSON characters that an operation writes, including the member's name.
 * @param room characters that the patch may still write
 * @throws PatchConflict for a value that is too long, nested too deep or moved into itself
 */
function writtenLength(document: JsonValue, operation: PatchOperation, room: number): number {
  if (operation.op === 'remove' || operation.op === 'test') return 0;
  const { path } = operation;
  if (
    'from' in operation &&
    path.length > operation.from.length &&
    isPrefix(operation.from, path)
  ) {
    throw new PatchConflict('a value cannot be moved or copied into itself');
  }
  const value = 'from' in operation ? get(document, operation.from) : operation.value;
  const name = (path.at(-1)?.length ?? 0) + MEMBER_SEPARATORS;
  return name + lengthOf(value, MAX_DEPTH - path.length, room - name);
}

/** Quotes, colon and comma of a member. */
const MEMBER_SEPARATORS = 4;

/** The length of a value as JSON, not counting escapes. Stops at the first limit. */
function lengthOf(value: JsonValue, levels: number, room: number): number {
  let length = 2;
  if (typeof value === 'string') length += value.length;
  else if (typeof value !== 'object' || value === null) length = String(value).length;
  else if (levels <= 0) {
    throw new PatchConflict(`the value would be nested deeper than ${MAX_DEPTH} levels`);
  } else if (Array.isArray(value)) {
    for (const item of value) length += 1 + lengthOf(item, levels - 1, room - length);
  } else {
    for (const [name, member] of Object.entries(value)) {
      length += name.length + MEMBER_SEPARATORS + lengthOf(member, levels - 1, room - length);
    }
  }
  if (length <= room) return length;
  throw new PatchConflict(
    `a patch can write at most ${MAX_WRITTEN_LENGTH} characters in all; send it in parts`,
  );
}

/** Applies one operation in place. @returns the document, or the value that replaced it */
function applyOperation(document: JsonValue, operation: PatchOperation): JsonValue {
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
      return add(remove(document, from), path, value);
    }
    case 'copy':
      return add(document, operation.path, structuredClone(get(document, operation.from)));
    case 'test':
      if (!equal(get(document, operation.path), operation.value)) {
        throw new PatchConflict('the value differs from the tested one');
      }
      return document;
  }
}

/**
 * Equality as defined for the operation `test` (RFC 6902 section 4.6): members in any order,
 * elements in order.
 */
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
    if (text.split('/', MAX_DEPTH + 2).length > MAX_DEPTH + 1) {
      return fail(`the member "${name}" names more than ${MAX_DEPTH} levels`);
    }
    return parsePointer(text) ?? fail(`the member "${name}" is not a JSON Pointer`);
  };
  const op = members.get('op');
  if (typeof op !== 'string' || !OPERATIONS.has(op)) {
    return fail('the member "op" must be one of add, remove, replace, move, copy, test');
  }
  const path = pointer('path');
  switch (op as PatchOperation['op']) {
    case 'remove': {
      const value = members.get('value') ?? null;
      return { op: 'remove', path, ...(value !== null && { value: value as JsonValue }) };
    }
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

/** The existing value at a pointer. @throws PatchConflict */
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

/** Removing the whole document leaves null, since JSON has no other representation. */
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
  if (!isArrayIndex(token)) throw new PatchConflict(`"${token}" is not an array index`);
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
