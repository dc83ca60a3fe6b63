// How an identity got an access item, derived from documents: entitlements record whether they were
// granted directly, account activities who requested a value and who approved it.

import { firstText, valuesAt } from '../../model/document-value.ts';
import type { Document } from '../../model/wire.ts';

export interface Provenance {
  /** Short text for the page; '' if unknown. */
  readonly origin: string;
  /** The latest request that granted it. */
  readonly request: Request | null;
}

export interface Request {
  readonly activityId: string;
  readonly requester: string;
  readonly requesterId: string;
  readonly approvers: readonly string[];
  readonly created: string;
}

/**
 * Determines how an access item was granted.
 * @param access an element of `access`
 * @param activities account activities whose recipient is the identity
 */
export function provenanceOf(access: unknown, activities: readonly Document[]): Provenance {
  const [standalone] = valuesAt(access, 'standalone');
  const origin =
    standalone === true
      ? 'Granted directly'
      : standalone === false
        ? 'Granted through a role or access profile'
        : '';
  const requests = activities
    .filter((activity) => adds(activity, access))
    .map(requestOf)
    .sort((one, other) => (one.created < other.created ? 1 : -1));
  return { origin, request: requests[0] ?? null };
}

/** True if an activity added the value of an element of `access`. */
function adds(activity: Document, access: unknown): boolean {
  const value = firstText(access, 'value');
  const names = new Set([value, firstText(access, 'name')].filter((name) => name !== ''));
  const source = firstText(access, 'source.id');
  return [...valuesAt(activity, 'originalRequests'), ...valuesAt(activity, 'accountRequests')].some(
    (request) =>
      (source === '' || firstText(request, 'source.id') === source) &&
      valuesAt(request, 'attributeRequests').some(
        (change) =>
          firstText(change, 'op').toLowerCase() === 'add' && names.has(firstText(change, 'value')),
      ),
  );
}

function requestOf(activity: Document): Request {
  const approvals = valuesAt(activity, 'approvals').filter(
    (approval) => firstText(approval, 'result').toLowerCase() === 'approved',
  );
  return {
    activityId: firstText(activity, 'id'),
    requester: firstText(activity, 'requester.name'),
    requesterId: firstText(activity, 'requester.id'),
    approvers: [...new Set(approvals.map((approval) => firstText(approval, 'owner.name')))],
    created: firstText(activity, 'created'),
  };
}
