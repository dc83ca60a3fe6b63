// A modal dialog, or a drawer at the side of the page. The native element traps the focus, returns
// it, and closes on Escape. A click beside it closes it, too, unless it has a form, whose content that
// would discard.
import { type ComponentChildren, type ComponentType, createContext } from 'preact';
import { useCallback, useContext, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from './icon.tsx';

/** The banners of the page, which each dialog shows, too: the page below it is inert. */
export const DialogBanners = createContext<ComponentType>(() => null);

export interface DialogProps {
  readonly title: string;
  /** `drawer`: at the side; `sheet`: at the bottom. */
  readonly shape?: 'box' | 'drawer' | 'sheet';
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function Dialog({ title, shape = 'box', onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const Banners = useContext(DialogBanners);
  const isMounted = useRef(true);
  const pressed = useRef<EventTarget | null>(null);
  // A reference is set before all layout effects, so the content can take the focus in one, and no
  // key is pressed in between.
  const show = useCallback((dialog: HTMLDialogElement | null) => {
    element.current = dialog;
    dialog?.showModal();
  }, []);
  useLayoutEffect(() => {
    const dialog = element.current;
    return () => {
      // Also a dialog that its page removes returns the focus.
      isMounted.current = false;
      dialog?.close();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes the dialog
    <dialog
      ref={show}
      class={`dialog dialog-${shape}`}
      aria-labelledby={heading}
      onClose={() => isMounted.current && onClose()}
      onPointerDown={({ target }) => {
        pressed.current = target;
      }}
      onClick={({ target }) => {
        // A click on the dialog itself, not on its content, is a click on the backdrop. One that
        // began in the content selected text.
        const isBackdrop = target === element.current && pressed.current === element.current;
        if (isBackdrop && element.current?.querySelector('form') === null) element.current.close();
      }}
    >
      <div class="dialog-inside">
        <Banners />
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
