// Shows a new secret, which cannot be shown again.
import { CopyButton } from '../ui/copy-button.tsx';

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
