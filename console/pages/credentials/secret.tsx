// Shows a new secret, which cannot be shown again. It has the focus until the user is done, who then
// continues where the secret was created. Before that, the console asks whether to leave the page, and
// no other secret takes its place.
import { useLayoutEffect, useRef } from 'preact/hooks';
import { CopyButton } from '../../ui/copy-button.tsx';
import { useUnsaved } from '../../ui/use-unsaved.ts';

/** A credential that was created, with its secret. */
export interface NewCredential {
  readonly id: string;
  readonly secret: string;
}

/** The lines of an environment file that a program signs in with. */
export function environmentOf({ id, secret }: NewCredential): string {
  return `SAIL_CLIENT_ID=${id}\nSAIL_CLIENT_SECRET=${secret}`;
}

export function Secret({
  title,
  lines,
  onDone,
}: {
  title: string;
  lines: string;
  onDone: () => void;
}) {
  const notice = useRef<HTMLDivElement>(null);
  const before = useRef<Element | null>(null);
  useUnsaved(true);
  useLayoutEffect(() => {
    before.current = document.activeElement;
    notice.current?.querySelector('button')?.focus();
  }, [lines]);
  return (
    <div class="notice notice-plain secret" role="status" ref={notice}>
      <div class="notice-body">
        <p class="notice-title">{title}</p>
        <pre class="code">{lines}</pre>
        <div class="buttons">
          <CopyButton text={lines} />
          <button
            type="button"
            class="button"
            onClick={() => {
              onDone();
              if (before.current instanceof HTMLElement) before.current.focus();
            }}
          >
            Done
          </button>
        </div>
      </div>
    </div>
  );
}
