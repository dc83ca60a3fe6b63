// A dialog over the page, or a drawer at its side. It is the browser's own, which keeps the focus in, gives it back,
// and closes by Escape.
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Icon } from './icon.tsx';

export interface DialogProps {
  readonly title: string;
  readonly shape?: 'box' | 'drawer';
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function Dialog({ title, shape = 'box', onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    element.current?.showModal();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it by keyboard
    <dialog
      ref={element}
      class={`dialog dialog-${shape}`}
      aria-labelledby={heading}
      onClose={onClose}
      onClick={(event) => {
        // A click on the dialog itself, not on what is in it, is one on the backdrop.
        if (event.target === element.current) element.current?.close();
      }}
    >
      <div class="dialog-inside">
        <header class="dialog-head">
          <h2 id={heading}>{title}</h2>
          <button
            type="button"
            class="button-icon"
            aria-label="Close"
            onClick={() => element.current?.close()}
          >
            <Icon name="close" />
          </button>
        </header>
        <div class="dialog-body">{children}</div>
      </div>
    </dialog>
  );
}
