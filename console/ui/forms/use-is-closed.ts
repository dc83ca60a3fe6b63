import { useLayoutEffect, useRef } from 'preact/hooks';

/**
 * True once the form was closed, such as by Cancel. An answer that comes later must not close the form
 * that is open by then.
 */
export function useIsClosed(): { readonly current: boolean } {
  const isClosed = useRef(false);
  useLayoutEffect(
    () => () => {
      isClosed.current = true;
    },
    [],
  );
  return isClosed;
}
