// A button that copies a text and confirms it.
import { useEffect, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

const SHOWN_MS = 1_800;

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [outcome, setOutcome] = useState<string | null>(null);
  useEffect(() => {
    if (outcome === null) return;
    const timer = setTimeout(() => setOutcome(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setOutcome('Copied'),
      () => setOutcome('Could not copy'),
    );
  return (
    <button type="button" class="button" onClick={copy}>
      <Icon name={outcome === 'Copied' ? 'check' : 'copy'} size={16} />
      <span aria-live="polite">{outcome ?? label}</span>
    </button>
  );
}
