// Texts that a remote service wrote, on their way into messages, logs and the status of a mirror.
import { escapeLine } from '../json/escaped-text.ts';
import { TEXT_CHARACTERS_MAX } from './remote-limits.ts';

/** One line without characters that a terminal obeys, shortened. */
export function shownText(text: string, charactersMax = TEXT_CHARACTERS_MAX): string {
  if (text.length <= charactersMax) return escapeLine(text);
  // Half of a surrogate pair is no character.
  return `${escapeLine(text.slice(0, charactersMax).replace(/[\ud800-\udbff]$/, ''))}…`;
}
