// What a JSON Patch may do to a list of capabilities: contract/auth-users.md section 4, row by row. The generic
// applier does the work on elements; this file says which targets and values are legal.
// Invariant: pure; the list given is never changed.
import { exclusivePair, isKnownCapability, UNASSIGNABLE } from '../auth/capabilities.ts';
import { ServiceError } from '../errors.ts';
import {
  applyOperation,
  equal,
  formatPointer,
  isArrayIndex,
  isPrefix,
  type JsonValue,
  PatchConflict,
  type PatchOperation,
  type Pointer,
  samePointer,
} from './json-patch.ts';

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
  let list = [...held];
  for (const [position, operation] of operations.entries()) {
    try {
      list = applyStep(list, operation);
    } catch (error) {
      if (!(error instanceof PatchConflict)) throw error;
      throw illegal(`operation ${position} (${operation.op}): ${error.message}`);
    }
  }
  return [...new Set(list)];
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

function applyStep(list: string[], operation: PatchOperation): string[] {
  const { path } = operation;
  checkTarget(path, operation.op === 'add' || 'from' in operation);
  if ('from' in operation) {
    checkTarget(operation.from, false);
    return moveOrCopy(list, operation);
  }
  if (path.length === 1) return applyToList(list, operation);
  if (operation.op === 'add' || operation.op === 'replace') {
    if (typeof operation.value !== 'string') throw new PatchConflict('a capability is a string');
  }
  return applyToElements(list, operation);
}

/** `/capabilities`, `/capabilities/3`, and where something is added `/capabilities/-`. */
function checkTarget(pointer: Pointer, mayAppend: boolean): void {
  const element = pointer[1];
  if (element === undefined) return;
  if (pointer.length === 2 && (isArrayIndex(element) || (element === '-' && mayAppend))) return;
  throw new PatchConflict(`${formatPointer(pointer)} is not a capability`);
}

function moveOrCopy(list: string[], operation: PatchOperation & { op: 'move' | 'copy' }): string[] {
  const { from, path } = operation;
  if (samePointer(from, path)) {
    // The value must be there, and then nothing happens; also for copy, unlike RFC 6902.
    return applyToElements(list, { op: 'move', from, path });
  }
  if (isPrefix(from, path)) throw new PatchConflict('the list cannot go into itself');
  if (path.length === 1) throw new PatchConflict('the list cannot become a single capability');
  return applyToElements(list, operation);
}

function applyToList(
  list: string[],
  operation: Exclude<PatchOperation, { op: 'move' | 'copy' }>,
): string[] {
  switch (operation.op) {
    case 'remove':
      return [];
    case 'test':
      if (!equal(list, operation.value)) {
        throw new PatchConflict('the list is not the one tested for');
      }
      return list;
    case 'replace':
      return operation.value === null ? [] : strings(operation.value);
    case 'add':
      return strings(operation.value);
  }
}

function applyToElements(list: string[], operation: PatchOperation): string[] {
  applyOperation({ [ROOT]: list }, operation);
  return list;
}

function strings(value: JsonValue): string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return [...value];
  throw new PatchConflict('the value must be an array of strings');
}
