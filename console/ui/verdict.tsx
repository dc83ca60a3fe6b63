// The outcome of a check in one line: colour, icon and words, so that colour alone says nothing.
import { Icon } from './icon.tsx';

export interface VerdictProps {
  readonly tone: 'good' | 'warn' | 'bad';
  readonly text: string;
}

export function Verdict({ tone, text }: VerdictProps) {
  return (
    <p class={`verdict verdict-${tone}`}>
      <Icon name={tone === 'good' ? 'check' : 'alert'} size={16} />
      {text}
    </p>
  );
}
