// A page of profiles, with buttons to the previous and the next one.
import { PROFILES_PAGE, type ProfilePage, type ProfileType } from '../api/profiles-api.ts';
import { Empty } from '../ui/notice.tsx';
import { href } from '../ui/route.ts';
import { Status } from '../ui/status.tsx';
import { TableFrame } from '../ui/table-frame.tsx';
import { Value } from '../ui/value.tsx';

export interface ProfileTableProps {
  readonly page: ProfilePage;
  readonly types: readonly ProfileType[];
  readonly offset: number;
  readonly onOffset: (offset: number) => void;
}

export function ProfileTable({
  page: { profiles, total },
  types,
  offset,
  onOffset,
}: ProfileTableProps) {
  const typeNames = new Map(types.map(({ id, name }) => [id, name]));
  if (profiles.length === 0)
    return (
      <Empty icon="cards" title="No matching profiles">
        <a href="#/profiles">Show all profiles</a>
      </Empty>
    );
  return (
    <>
      <p role="status" class="quiet">
        <strong class="profile-total">{total.toLocaleString('en')}</strong> profiles
      </p>
      <TableFrame label="Profiles">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Type</th>
            <th scope="col">Status</th>
            <th scope="col">UID</th>
            <th scope="col">Updated</th>
          </tr>
        </thead>
        <tbody>
          {profiles.map((profile) => (
            <tr key={profile.id}>
              <td>
                <a href={href('profiles', 'of', profile.id)}>{profile.name || '(no name)'}</a>
              </td>
              <td>{typeNames.get(profile.profile_type_id) ?? '–'}</td>
              <td>
                <Status word={profile.status} />
              </td>
              <td>{profile.uid}</td>
              <td>
                <Value value={profile.updated_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </TableFrame>
      <nav class="buttons" aria-label="Pages of profiles">
        <button
          type="button"
          class="button"
          disabled={offset === 0}
          onClick={() => onOffset(Math.max(0, offset - PROFILES_PAGE))}
        >
          Previous
        </button>
        <span class="page-range quiet">
          {(offset + 1).toLocaleString('en')}–{(offset + profiles.length).toLocaleString('en')}
        </span>
        <button
          type="button"
          class="button"
          disabled={offset + profiles.length >= total}
          onClick={() => onOffset(offset + PROFILES_PAGE)}
        >
          Next
        </button>
      </nav>
    </>
  );
}
