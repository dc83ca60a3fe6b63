// The initials of a person on a colour of their name. For eyes only: the name is next to it.
import { hueOf, initialsOf } from './initials.ts';

export function Avatar({ name, size = 'small' }: { name: string; size?: 'small' | 'large' }) {
  return (
    <span class={`avatar avatar-${size} avatar-${hueOf(name)}`} aria-hidden="true">
      {initialsOf(name)}
    </span>
  );
}
