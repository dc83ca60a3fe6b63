// A dialog that confirms a deletion, or another step that cannot be undone: in red, after Cancel,
// which has the focus.
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Dialog } from './dialog.tsx';

export interface ConfirmProps {
  readonly title: string;
  /** The consequence. */
  readonly sentence: string;
  /** The label of the button that confirms; Delete by default. */
  readonly action?: string;
  /** The label of the other button; Cancel by default. */
  readonly dismissal?: string;
  readonly onConfirm: () => void;
  /** Called after `onConfirm`, too. */
  readonly onClose: () => void;
}

export function Confirm(props: ConfirmProps) {
  const { title, sentence, action = 'Delete', dismissal = 'Cancel', onConfirm, onClose } = props;
  const cancel = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => cancel.current?.focus(), []);
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{sentence}</p>
      <div class="buttons dialog-actions">
        <button type="button" class="button" ref={cancel} onClick={onClose}>
          {dismissal}
        </button>
        <button
          type="button"
          class="button button-danger"
          onClick={() => {
            onConfirm();
            onClose();
          }}
        >
          {action}
        </button>
      </div>
    </Dialog>
  );
}
