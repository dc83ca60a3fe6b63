import { useEffect, useState } from 'preact/hooks';

/**
 * The time without a letter, in ms, after which a field asks the service about what was typed. Most
 * people leave more between two letters, so the answer is there before the next one; what was asked
 * about earlier letters is cancelled.
 */
export const TYPING_PAUSE_MS = 40;

/** What was typed up to the last pause, without spaces around it; empty before the first pause. */
export function useTypedWords(typed: string): string {
  const [words, setWords] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setWords(typed.trim()), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return words;
}
