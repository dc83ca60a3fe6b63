// The detail of a recorded event: who, from where, and each changed member before and after.

import { firstText } from '../../model/document-value.ts';
import { documentAddress } from '../../model/reference.ts';
import type { Document } from '../../model/wire.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TableFrame, TableHead } from '../../ui/table-frame.tsx';
import { Status } from '../../ui/values/status.tsx';
import { printAudit, readAudit } from './audit-search.ts';
import { actionText, changesOf, type MemberChange, otherAttributes } from './event-changes.ts';

export function EventDrawer({ event, onClose }: { event: Document; onClose: () => void }) {
  const changes = changesOf(event);
  const actor = firstText(event, 'actor.name');
  const target = firstText(event, 'target.name');
  const facts: readonly (readonly [name: string, value: string])[] = [
    ['Time (UTC)', firstText(event, 'created').replace('T', ' ').replace('Z', '')],
    ['Actor', actor],
    ['Actor ID', firstText(event, 'attributes.actorId')],
    ['Target', target],
    ['Address', firstText(event, 'attributes.remoteAddress')],
    ['Request ID', firstText(event, 'attributes.requestId')],
    ['Technical name', firstText(event, 'technicalName')],
    ...otherAttributes(event),
  ];
  return (
    <Dialog title={actionText(firstText(event, 'action'))} shape="drawer" onClose={onClose}>
      <p>
        <Status word={firstText(event, 'status')} />
      </p>
      {changes.length > 0 && <Changes changes={changes} />}
      <dl class="facts">
        {facts
          .filter(([, value]) => value !== '')
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
      <div class="buttons">
        {actor !== '' && <Narrow members={{ actor }} label="All by this actor" onClose={onClose} />}
        {target !== '' && (
          <Narrow members={{ target }} label="All on this target" onClose={onClose} />
        )}
        <a class="button" href={documentAddress('events', firstText(event, 'id'))}>
          Open the event
        </a>
        <CopyButton text={JSON.stringify(event, null, 2)} />
      </div>
    </Dialog>
  );
}

function Narrow({
  members,
  label,
  onClose,
}: {
  members: { readonly actor?: string; readonly target?: string };
  label: string;
  onClose: () => void;
}) {
  const state = { ...readAudit(new URLSearchParams()), kind: 'all' as const, ...members };
  return (
    <a class="button" href={`#${printAudit(state)}`} onClick={onClose}>
      {label}
    </a>
  );
}

function Changes({ changes }: { changes: readonly MemberChange[] }) {
  return (
    <TableFrame label="Changed members">
      <TableHead labels={['Member', 'Before', 'After']} />
      <tbody>
        {changes.map(({ name, before, after }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td class="audit-before">{textOf(before)}</td>
            <td class="audit-after">{textOf(after)}</td>
          </tr>
        ))}
      </tbody>
    </TableFrame>
  );
}

function textOf(value: string | null): string {
  if (value === null) return '–';
  return value === '' ? 'none' : value;
}
