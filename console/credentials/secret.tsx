// Shows a new secret, which cannot be shown again.
import { CopyButton } from '../ui/copy-button.tsx';

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
  return (
    <div class="notice notice-plain secret" role="status">
      <div class="notice-body">
        <p class="notice-title">{title}</p>
        <pre class="code">{lines}</pre>
        <div class="buttons">
          <CopyButton text={lines} />
          <button type="button" class="button" onClick={onDone}>
            Done
          </button>
        </div>
      </div>
    </div>
  );
}
