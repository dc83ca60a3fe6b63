// Account activities (collections.md section 3).
import { fold } from '../../../query/analysis/fold.ts';
import { type Json, objectOf, objectsOf, textOf, textsOf } from './members.ts';

export function accountActivity(document: Json): Json {
  const { id, created, modified, action } = document;
  return {
    id,
    created,
    modified: modified ?? null,
    completionStatus: wordOf(COMPLETION, document['status']),
    type: shownType(action),
    requesterIdentitySummary: summaryOf(document['requester']),
    targetIdentitySummary: summaryOf(document['recipient']),
    errors: textsOf(document['errors']),
    warnings: textsOf(document['warnings']),
    items: itemsOf(document),
    executionStatus: wordOf(EXECUTION, document['stage']) ?? undefined,
  };
}

/** Words of documents, in lower case, and those of the public specification. */
type Words = Readonly<Record<string, string>>;

/** Actions whose type has another word. */
export const SHOWN_TYPES: Words = {
  'access request': 'appRequest',
  access_request: 'appRequest',
  accessrequest: 'appRequest',
};

function shownType(action: unknown): unknown {
  const folded = fold(textOf(action) ?? '');
  return Object.hasOwn(SHOWN_TYPES, folded) ? SHOWN_TYPES[folded] : (action ?? null);
}

const COMPLETION: Words = {
  complete: 'SUCCESS',
  completed: 'SUCCESS',
  success: 'SUCCESS',
  failure: 'FAILURE',
  failed: 'FAILURE',
  error: 'FAILURE',
  incomplete: 'INCOMPLETE',
  pending: 'PENDING',
};
const EXECUTION: Words = {
  executing: 'EXECUTING',
  verifying: 'VERIFYING',
  terminated: 'TERMINATED',
  completed: 'COMPLETED',
};
const APPROVAL: Words = {
  approved: 'FINISHED',
  finished: 'FINISHED',
  rejected: 'REJECTED',
  returned: 'RETURNED',
  expired: 'EXPIRED',
  pending: 'PENDING',
  canceled: 'CANCELED',
  cancelled: 'CANCELED',
};
const PROVISIONING: Words = {
  pending: 'PENDING',
  queued: 'PENDING',
  finished: 'FINISHED',
  unverifiable: 'UNVERIFIABLE',
  committed: 'COMMITED',
  commited: 'COMMITED',
  failed: 'FAILED',
  retry: 'RETRY',
};
const OPERATIONS: Words = Object.fromEntries(
  ['ADD', 'CREATE', 'MODIFY', 'DELETE', 'DISABLE', 'ENABLE', 'UNLOCK', 'LOCK', 'REMOVE', 'SET'].map(
    (name) => [name.toLowerCase(), name],
  ),
);

function wordOf(words: Words, value: unknown): string | null {
  const name = textOf(value)?.toLowerCase() ?? '';
  return Object.hasOwn(words, name) ? (words[name] ?? null) : null;
}

function summaryOf(value: unknown): Json | null {
  const { id, name } = objectOf(value);
  return id === undefined && name === undefined ? null : { id, name, identityId: id };
}

/** What was requested of accounts, one item for each attribute. */
function itemsOf(document: Json): readonly Json[] | null {
  const requests = document['accountRequests'] ?? document['originalRequests'];
  if (!Array.isArray(requests)) return null;
  const approvals = objectsOf(document['approvals']);
  return objectsOf(requests).flatMap((request) =>
    objectsOf(request['attributeRequests']).map((attribute) => ({
      requested: document['created'],
      approvalStatus: wordOf(APPROVAL, approvalOf(approvals, attribute)),
      provisioningStatus: wordOf(PROVISIONING, objectOf(request['result'])['status']) ?? undefined,
      operation: wordOf(OPERATIONS, attribute['op']),
      attribute: attribute['name'] ?? null,
      value: attribute['value'] ?? null,
      nativeIdentity: request['accountId'] ?? null,
      sourceId: objectOf(request['source'])['id'],
    })),
  );
}

function approvalOf(approvals: readonly Json[], attribute: Json): unknown {
  const approval = approvals.find((each) => {
    const { name, value } = objectOf(each['attributeRequest']);
    return name === attribute['name'] && value === attribute['value'];
  });
  return approval?.['result'];
}
