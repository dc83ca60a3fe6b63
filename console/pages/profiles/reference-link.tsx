// What a value of a profile refers to, as a link: a profile to its page, a user to the identity.
import { readProfileUser } from '../../api/profiles-api.ts';
import type { Reference } from '../../model/profiles/profile-draft.ts';
import { documentAddress } from '../../model/reference.ts';
import { href } from '../../ui/route.ts';
import { useLoad } from '../../ui/use-load.ts';
import { Value } from '../../ui/values/value.tsx';

export function ReferenceLink({ reference: { type, id, text } }: { reference: Reference }) {
  if (type === 'profile') return <a href={href('profiles', 'of', id)}>{text}</a>;
  return type === 'user' ? <UserLink id={id} text={text} /> : <span>{text}</span>;
}

/** A user without an identity, or one that cannot be read, is no link. */
function UserLink({ id, text }: { id: string; text: string }) {
  const { value } = useLoad(`user ${id}`, (signal) => readProfileUser(id, signal));
  const identity = value?.sailpoint_identity_id ?? null;
  if (identity === null) return <Value value={text} />;
  return (
    <a href={documentAddress('identities', identity)}>
      <Value value={text} />
    </a>
  );
}
