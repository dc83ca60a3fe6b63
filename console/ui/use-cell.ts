// Reads a cell in a component, which renders again when the value changes.
import { useEffect, useState } from 'preact/hooks';
import type { Cell } from '../model/cell.ts';

/** The current value. */
export function useCell<T>(cell: Cell<T>): T {
  const [value, setValue] = useState(() => cell.get());
  useEffect(() => {
    const read = () => setValue(() => cell.get());
    read();
    return cell.watch(read);
  }, [cell]);
  return value;
}
