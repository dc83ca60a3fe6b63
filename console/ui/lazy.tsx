// A part of a page whose code is loaded when the part is first shown.
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Waiting } from './notice.tsx';

/** A component that loads its code on first use. */
export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  return function Lazy(props: P) {
    const [loaded, setLoaded] = useState<{ readonly Part: ComponentType<P> } | 'failed' | null>(
      null,
    );
    useEffect(() => {
      let isMounted = true;
      load().then(
        (Part) => isMounted && setLoaded({ Part }),
        () => isMounted && setLoaded('failed'),
      );
      return () => {
        isMounted = false;
      };
    }, []);
    if (loaded === null) return <Waiting lines={3} />;
    if (loaded === 'failed') {
      return (
        <div class="notice notice-bad" role="alert">
          <p>This part of the console could not be loaded.</p>
          <button type="button" class="button" onClick={() => location.reload()}>
            Reload the console
          </button>
        </div>
      );
    }
    return <loaded.Part {...props} />;
  };
}
