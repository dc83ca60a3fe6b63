// A status word as a pill: colour, icon and word, so that colour alone says nothing.
import { Icon, type IconName } from '../icon.tsx';
import { isConcern, type Tone, toneOf } from './status-tone.ts';

const ICONS: Readonly<Record<Tone, IconName | null>> = {
  good: 'done',
  warn: 'pause',
  bad: 'failed',
  info: 'clock',
  plain: null,
};

export interface StatusProps {
  readonly word: string;
  /** By default that of the word. */
  readonly tone?: Tone;
  /** By default a warning for words that warn of access, otherwise that of the tone. */
  readonly icon?: IconName | null;
}

export function Status({
  word,
  tone = toneOf(word),
  icon = isConcern(word) ? 'alert' : ICONS[tone],
}: StatusProps) {
  return (
    <span class={`pill pill-${tone}`}>
      {icon !== null && <Icon name={icon} size={13} />}
      {word}
    </span>
  );
}
