// JSON Patch on a list of capabilities (contract/auth-users.md section 4): legal targets and
// values, and the differences from RFC 6902. json-patch.ts applies the operations.
// Invariant: pure; never modifies the given list.
import { isKnownCapability, newExclusivePair, UNASSIGNABLE } from '../../auth/capabilities.ts';
import { ServiceError } from '../../errors.ts';
import {
  applyPatch,
  type JsonValue,
  PatchConflict,
  type PatchOperation,
} from '../../json/json-patch.ts';
import { formatPointer, isArrayIndex, type Pointer, samePointer } from '../../json/json-pointer.ts';

/** Rules for the resulting list. */
export interface CapabilityRules {
  /** Rejects the pairs that the vendor's guides forbid together. */
  readonly refuseExclusivePairs?: boolean;
}

const ROOT = 'capabilities';
/** The members of an auth user that a patch may change. */
export const PATCHABLE: readonly string[] = [ROOT];

/**
 * Applies the operations in order, then drops duplicates, keeping the first.
 * @throws ServiceError `illegal_value` for the first operation that cannot be applied
 */
export function patchCapabilities(
  current: readonly string[],
  operations: readonly PatchOperation[],
): string[] {
  try {
    const patched = applyPatch({ [ROOT]: [...current] }, operations, listOperation);
    // listOperation allows only strings as elements, and only a list as replacement.
    return [...new Set((patched as { [ROOT]: string[] })[ROOT])];
  } catch (error) {
    if (error instanceof PatchConflict) throw illegal(error.message);
    throw error;
  }
}

/**
 * Checks the resulting list. Existing levels and pairs stay legal: they must not prevent the removal
 * of another level.
 * @throws ServiceError `illegal_value`
 */
export function checkCapabilities(
  before: readonly string[],
  after: readonly string[],
  rules: CapabilityRules,
): void {
  for (const capability of after) {
    if (before.includes(capability)) continue;
    if (!isKnownCapability(capability)) {
      throw illegal(`${JSON.stringify(capability.slice(0, 100))} is not a known capability`);
    }
    if (UNASSIGNABLE.has(capability)) throw illegal(`${capability} cannot be assigned`);
  }
  const pair = rules.refuseExclusivePairs === true ? newExclusivePair(before, after) : null;
  if (pair !== null) throw illegal(`${pair[0]} and ${pair[1]} cannot be assigned together`);
}

/** The error for a rejected value, with its reason as cause. */
export function illegal(cause: string): ServiceError {
  return new ServiceError('illegal_value', 'This is not a valid list of capabilities.', {
    causes: [cause],
  });
}

/**
 * Adapts an operation to RFC 6902. Removing the list empties it, null means an empty list, and
 * copying a value onto itself changes nothing.
 * @throws PatchConflict for a target or value that is illegal in a list of capabilities
 */
function listOperation(operation: PatchOperation): PatchOperation {
  const { path } = operation;
  checkTarget(path, operation.op === 'add' || 'from' in operation);
  if ('from' in operation) return moveOrCopy(operation);
  if (operation.op === 'test') return operation;
  const isList = path.length === 1;
  if (operation.op === 'remove') return isList ? { op: 'replace', path, value: [] } : operation;
  if (isList) {
    const empties = operation.op === 'replace' && operation.value === null;
    return { ...operation, value: empties ? [] : strings(operation.value) };
  }
  if (typeof operation.value !== 'string') throw new PatchConflict('a capability is a string');
  return operation;
}

/** Accepts `/capabilities`, `/capabilities/3`, and `/capabilities/-` for additions. */
function checkTarget(pointer: Pointer, mayAppend: boolean): void {
  const element = pointer[1];
  if (element === undefined) return;
  if (pointer.length === 2 && (isArrayIndex(element) || (element === '-' && mayAppend))) return;
  throw new PatchConflict(`${formatPointer(pointer)} is not a capability`);
}

function moveOrCopy(operation: PatchOperation & { op: 'move' | 'copy' }): PatchOperation {
  const { from, path } = operation;
  checkTarget(from, false);
  if (samePointer(from, path)) return { op: 'move', from, path };
  if (path.length === 1) throw new PatchConflict('the list cannot become a single capability');
  return operation;
}

function strings(value: JsonValue): JsonValue[] {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw new PatchConflict('the value must be an array of strings');
}
