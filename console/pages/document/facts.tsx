// A list of the members of a document with their values. References to other documents are links.

import { firstText } from '../../model/document-value.ts';
import { memberLabel } from '../../model/kinds.ts';
import { referenceAddress } from '../../model/reference.ts';
import type { Document } from '../../model/wire.ts';
import { Status } from '../../ui/values/status.tsx';
import { isStatusField } from '../../ui/values/status-tone.ts';
import { Value } from '../../ui/values/value.tsx';

/** @param omit members that are shown elsewhere */
export function Facts({ of, omit = [] }: { of: Document; omit?: readonly string[] }) {
  const shown = Object.entries(of).filter(([name, value]) => !omit.includes(name) && isFact(value));
  return (
    <dl class="facts">
      {shown.map(([name, value]) => (
        <div key={name}>
          <dt title={name}>{memberLabel(name)}</dt>
          <dd>
            <Fact member={name} value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Shows a value, or a reference by its name. */
export function Fact({ member, value }: { member: string; value: unknown }) {
  if (Array.isArray(value)) {
    return (
      <>
        {value.length === 0 && <span class="quiet">–</span>}
        {value.map((item, at) => (
          <span class="value-item" key={at}>
            <Fact member={member} value={item} />
          </span>
        ))}
      </>
    );
  }
  if (typeof value === 'string' && value !== '' && isStatusField(member))
    return <Status word={value} />;
  if (typeof value !== 'object' || value === null) return <Value value={value} />;
  const name = firstText(value, 'displayName', 'name', 'id');
  if (name === '') return <Value value={value} />;
  const address = referenceAddress(member, value);
  return address === null ? <span>{name}</span> : <a href={address}>{name}</a>;
}

/** True if a member fits in one line: a scalar, a list of scalars, or a reference. */
export function isFact(value: unknown): boolean {
  if (Array.isArray(value))
    return value.length > 0 && value.every((item) => typeof item !== 'object');
  if (typeof value !== 'object' || value === null) return value !== null && value !== '';
  return 'id' in value || ('name' in value && Object.keys(value).length < 4);
}
