// A button with a panel below it, which closes by Escape, by a click elsewhere, or when the focus goes on.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from './icon.tsx';

export interface MenuProps {
  readonly icon: IconName;
  readonly label: string;
  /** What is in the panel; `close` shuts it. */
  readonly children: (close: () => void) => ComponentChildren;
}

export function Menu({ icon, label, children }: MenuProps) {
  const [open, setOpen] = useState(false);
  const around = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!open) return;
    const elsewhere = (event: Event) => {
      if (!around.current?.contains(event.target as Node)) setOpen(false);
    };
    const onEscape = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      setOpen(false);
      button.current?.focus();
    };
    addEventListener('pointerdown', elsewhere);
    addEventListener('focusin', elsewhere);
    addEventListener('keydown', onEscape);
    return () => {
      removeEventListener('pointerdown', elsewhere);
      removeEventListener('focusin', elsewhere);
      removeEventListener('keydown', onEscape);
    };
  }, [open]);
  return (
    <div class="menu" ref={around}>
      <button
        type="button"
        class="button"
        ref={button}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <Icon name={icon} size={16} />
        <span class="menu-label">{label}</span>
      </button>
      {open && (
        // What is pressed in the panel and takes no focus itself leaves it to the panel, not to the page behind.
        <div class="menu-panel" tabIndex={-1}>
          {children(() => setOpen(false))}
        </div>
      )}
    </div>
  );
}
