// Whether a media query matches.
import { useEffect, useState } from 'preact/hooks';

/** True while the media query matches. */
export function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const read = () => setMatches(media.matches);
    read();
    media.addEventListener('change', read);
    return () => media.removeEventListener('change', read);
  }, [query]);
  return matches;
}
