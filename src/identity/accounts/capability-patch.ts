// What a JSON Patch may do to a list of capabilities (contract/auth-users.md section 4): which targets and values are
// legal, and where the list differs from RFC 6902. The operations themselves are applied by json-patch.ts.
// Invariant: pure; the list given is never changed.
import { exclusivePair, isKnownCapability, UNASSIGNABLE } from '../../auth/capabilities.ts';
import { ServiceError } from '../../errors.ts';
import {
  applyPatch,
  type JsonValue,
  PatchConflict,
  type PatchOperation,
} from '../json/json-patch.ts';
import { formatPointer, isArrayIndex, type Pointer, samePointer } from '../json/json-pointer.ts';

/** What a final list is held to. */
export interface CapabilityRules {
  /** Ids of the tenant's own levels. */
  readonly custom: readonly string[];
  /** Refuses the pairs that the vendor's guides call not assignable together. */
  readonly refuseExclusivePairs: boolean;
}

const ROOT = 'capabilities';

/**
 * Refuses a patch that looks or writes outside the capabilities, whatever the state of the user.
 * @throws ServiceError `illegal_update`
 */
export function refuseOtherTargets(operations: readonly PatchOperation[]): void {
  for (const operation of operations) {
    const pointers = 'from' in operation ? [operation.path, operation.from] : [operation.path];
    for (const pointer of pointers) {
      if (pointer[0] === ROOT) continue;
      throw new ServiceError('illegal_update', 'Only capabilities can be changed.', {
        causes: [`path ${JSON.stringify(formatPointer(pointer))}`],
      });
    }
  }
}

/**
 * Applies the operations in order, then drops duplicates, keeping the first.
 * @throws ServiceError `illegal_value` for the first operation that cannot be done
 */
export function patchCapabilities(
  held: readonly string[],
  operations: readonly PatchOperation[],
): string[] {
  try {
    const patched = applyPatch({ [ROOT]: [...held] }, operations, listOperation);
    // listOperation lets only strings into the list, and nothing replace it but a list.
    return [...new Set((patched as { [ROOT]: string[] })[ROOT])];
  } catch (error) {
    if (error instanceof PatchConflict) throw illegal(error.message);
    throw error;
  }
}

/**
 * Judges a final list. What was held before stays legal: a level that is unknown here or not assignable must
 * never stand in the way of taking another one away.
 * @throws ServiceError `illegal_value`
 */
export function judgeCapabilities(
  before: readonly string[],
  after: readonly string[],
  rules: CapabilityRules,
): void {
  for (const capability of after) {
    if (before.includes(capability)) continue;
    if (!isKnownCapability(capability, rules.custom)) {
      throw illegal(`${JSON.stringify(capability.slice(0, 100))} is not a known capability`);
    }
    if (UNASSIGNABLE.has(capability)) throw illegal(`${capability} cannot be assigned`);
  }
  const pair = rules.refuseExclusivePairs ? exclusivePair(after) : null;
  if (pair !== null) throw illegal(`${pair[0]} and ${pair[1]} cannot be assigned together`);
}

/** The refusal of a value, with its reason as cause. */
export function illegal(cause: string): ServiceError {
  return new ServiceError('illegal_value', 'The patch does not lead to a legal list.', {
    causes: [cause],
  });
}

/**
 * The operation as RFC 6902 has it. Removing the list empties it, null is an empty list, and a copy of a value onto itself
 * changes nothing.
 * @throws PatchConflict for a target or value that a list of capabilities does not take
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

/** `/capabilities`, `/capabilities/3`, and where something is added `/capabilities/-`. */
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
