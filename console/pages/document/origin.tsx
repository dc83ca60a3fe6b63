// How an identity got an element of its access: the roles and access profiles that grant it, who
// requested it and who approved it.

import { firstText, instantText } from '../../model/document-value.ts';
import { documentAddress, referenceAddress } from '../../model/reference.ts';
import type { AccessPath, Document } from '../../model/wire.ts';
import { provenanceOf } from './provenance.ts';

interface OriginProps {
  /** An element of `access`. */
  readonly element: unknown;
  /** Account activities whose recipient is the identity. */
  readonly activities: readonly Document[];
  /** The paths of all elements by id; undefined until they are loaded. */
  readonly paths: ReadonlyMap<string, readonly AccessPath[]> | undefined;
}

export function Origin({ element, activities, paths }: OriginProps) {
  const { origin: recorded, request } = provenanceOf(element, activities);
  const [path, ...others] = paths?.get(firstText(element, 'id')) ?? [];
  const origin = recorded === '' && paths !== undefined ? 'Granted directly' : recorded;
  if (path === undefined && origin === '' && request === null) {
    return <span class="quiet">–</span>;
  }
  return (
    <>
      {path === undefined ? origin : <PathLinks path={path} more={others.length} />}
      {request !== null && (
        <>
          {(path !== undefined || origin !== '') && '. '}
          <a href={documentAddress('accountactivities', request.activityId)}>
            Requested {instantText(request.created)}
          </a>{' '}
          by <a href={documentAddress('identities', request.requesterId)}>{request.requester}</a>
          {request.approvers.length > 0 && `, approved by ${request.approvers.join(', ')}`}
        </>
      )}
    </>
  );
}

/** `Through Payroll Clerk → Payroll Preparation (and 2 more)`. */
function PathLinks({ path, more }: { path: AccessPath; more: number }) {
  return (
    <>
      Through{' '}
      {path.map((step, at) => (
        <span key={step.id}>
          {at > 0 && ' → '}
          <a href={referenceAddress('', step) ?? ''}>{step.name ?? step.id}</a>
        </span>
      ))}
      {more > 0 && ` (and ${more} more)`}
    </>
  );
}
