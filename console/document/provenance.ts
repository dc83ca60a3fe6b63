// How somebody came by a piece of access, as far as documents tell: entitlements say whether they were given by
// themselves, and account activities who asked for a value and who approved it.
import type { Document } from '../api/wire.ts';
import { firstText, valuesAt } from '../search/document-value.ts';

export interface Provenance {
  /** In a word or two; '': the documents do not say. */
  readonly way: string;
  /** The request that gave it, the latest of several. */
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
 * How a piece of access was given.
 * @param access an element of `access`
 * @param activities account activities of which its holder is the recipient
 */
export function provenanceOf(access: unknown, activities: readonly Document[]): Provenance {
  const [standalone] = valuesAt(access, 'standalone');
  const way =
    standalone === true
      ? 'Given by itself'
      : standalone === false
        ? 'Comes with a role or profile'
        : '';
  const requests = activities
    .filter((activity) => adds(activity, access))
    .map(requestOf)
    .sort((one, other) => (one.created < other.created ? 1 : -1));
  return { way, request: requests[0] ?? null };
}

/** Whether an activity added the value that an element of `access` stands for. */
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
