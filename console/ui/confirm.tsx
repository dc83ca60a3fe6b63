// A dialog that confirms a deletion, or another step that cannot be undone.
import { Dialog } from './dialog.tsx';

export interface ConfirmProps {
  readonly title: string;
  /** The consequence. */
  readonly sentence: string;
  /** The label of the button that goes on; Delete by default. */
  readonly action?: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

export function Confirm({ title, sentence, action = 'Delete', onConfirm, onClose }: ConfirmProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{sentence}</p>
      <div class="buttons">
        <button
          type="button"
          class="button button-main"
          onClick={() => {
            onClose();
            onConfirm();
          }}
        >
          {action}
        </button>
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}
