// A button with a panel below it. Escape, a click outside or a focus outside closes the panel.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from './icon.tsx';

export interface MenuProps {
  readonly icon: IconName;
  readonly label: string;
  /** The content of the panel; `close` closes it. */
  readonly children: (close: () => void) => ComponentChildren;
}

export function Menu({ icon, label, children }: MenuProps) {
  const [open, setOpen] = useState(false);
  const container = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!open) return;
    const closeOutside = (event: Event) => {
      if (!container.current?.contains(event.target as Node)) setOpen(false);
    };
    const onEscape = (event: KeyboardEvent) => {
      // A dialog of the panel closes alone.
      const hasDialog = container.current?.querySelector('dialog[open]') != null;
      if (event.key !== 'Escape' || hasDialog) return;
      setOpen(false);
      button.current?.focus();
    };
    addEventListener('pointerdown', closeOutside);
    addEventListener('focusin', closeOutside);
    addEventListener('keydown', onEscape);
    return () => {
      removeEventListener('pointerdown', closeOutside);
      removeEventListener('focusin', closeOutside);
      removeEventListener('keydown', onEscape);
    };
  }, [open]);
  return (
    <div class="menu" ref={container}>
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
        // Focusable, so that a click on plain content moves the focus to the panel, not to the
        // page.
        <div class="menu-panel" tabIndex={-1}>
          {children(() => setOpen(false))}
        </div>
      )}
    </div>
  );
}
