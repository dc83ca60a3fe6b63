// A dialog that confirms a deletion.
import { Dialog } from './dialog.tsx';

export interface ConfirmProps {
  readonly title: string;
  /** The consequence. */
  readonly sentence: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

export function Confirm({ title, sentence, onConfirm, onClose }: ConfirmProps) {
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
          Delete
        </button>
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}
