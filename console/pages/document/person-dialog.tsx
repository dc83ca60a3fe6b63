// Chooses a person to compare with, in a drawer.

import { printValue } from '../../model/completion.ts';
import { firstText } from '../../model/document-value.ts';
import type { Document } from '../../model/wire.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { DocumentPicker, type Picked } from '../explain/document-picker.tsx';

export interface PersonDialogProps {
  readonly title: string;
  /** The person to compare with; people with the same manager are offered. */
  readonly other: Document | null;
  readonly onPick: (picked: Picked) => void;
  readonly onClose: () => void;
}

export function PersonDialog({ title, other, onPick, onClose }: PersonDialogProps) {
  const colleagues = other === null ? null : colleaguesOf(other);
  return (
    <Dialog shape="drawer" title={title} onClose={onClose}>
      <DocumentPicker
        index="identities"
        hint="Attributes, access, accounts and owned objects are compared side by side."
        {...(colleagues === null
          ? {}
          : { suggested: { label: 'With the same manager', query: colleagues } })}
        onPick={onPick}
      />
    </Dialog>
  );
}

/** The query for people with the same manager; null without one. */
function colleaguesOf(person: Document): string | null {
  const [manager, id] = [firstText(person, 'manager.id'), firstText(person, 'id')];
  return manager === ''
    ? null
    : `manager.id:${printValue(manager)} AND NOT id:${printValue(id)} AND NOT inactive:true`;
}
