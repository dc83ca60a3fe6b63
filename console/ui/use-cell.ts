// A cell's value in a component, which is drawn again when it changes.
import { useEffect, useState } from 'preact/hooks';
import type { Cell } from '../api/cell.ts';

/** The value of now. */
export function useCell<T>(cell: Cell<T>): T {
  const [value, setValue] = useState(() => cell.get());
  useEffect(() => {
    const read = () => setValue(() => cell.get());
    read();
    return cell.watch(read);
  }, [cell]);
  return value;
}
