// Chooses a person to compare with, in a drawer.
import { DocumentPicker, type Picked } from '../explain/document-picker.tsx';
import { Dialog } from '../ui/dialog.tsx';

export interface PersonDialogProps {
  readonly title: string;
  readonly onPick: (picked: Picked) => void;
  readonly onClose: () => void;
}

export function PersonDialog({ title, onPick, onClose }: PersonDialogProps) {
  return (
    <Dialog shape="drawer" title={title} onClose={onClose}>
      <DocumentPicker
        index="identities"
        hint="Attributes, access, accounts and owned objects are compared side by side."
        onPick={onPick}
      />
    </Dialog>
  );
}
