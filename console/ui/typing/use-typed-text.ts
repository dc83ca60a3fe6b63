import { useState } from 'preact/hooks';

/**
 * The text of a field that the address stores. It becomes that of the address when that changes, as after
 * the button Back. That happens while rendering: an effect would run a frame later, and take back what
 * was typed in between.
 */
export function useTypedText(
  stored: string,
): readonly [typed: string, setTyped: (typed: string) => void] {
  const [typed, setTyped] = useState(stored);
  const [lastStored, setLastStored] = useState(stored);
  if (stored !== lastStored) {
    setLastStored(stored);
    if (stored !== typed.trim()) setTyped(stored);
  }
  return [typed, setTyped];
}
