// The pages of profiles: the list, the advanced search, one profile, and a new one.
import { useState } from 'preact/hooks';
import type { PageProps } from '../../ui/page-props.ts';
import '../../style/document.css';
import '../../style/table.css';
import '../../style/profiles.css';
import { Icon } from '../../ui/icon.tsx';
import { NewProfile } from './new-profile.tsx';
import { ProfileList } from './profile-list.tsx';
import { ProfilePage } from './profile-page.tsx';
import { AdvancedSearch } from './rules/advanced-search.tsx';

export function ProfilesPage({ route }: PageProps) {
  const [, section, id, action] = route.path;
  /** The name of the profile that was deleted last, for the list. */
  const [deleted, setDeleted] = useState<string | null>(null);
  if (section === 'new') return <NewProfile typeId={route.parameters.get('type')} />;
  if (section === 'of' && id !== undefined)
    return <ProfilePage id={id} key={id} isEditing={action === 'edit'} onDeleted={setDeleted} />;
  return (
    <div class="page">
      <h1>Profiles</h1>
      <nav class="tabs" aria-label="Profiles">
        <a href="#/profiles" aria-current={section === 'advanced' ? undefined : 'page'}>
          List
        </a>
        <a href="#/profiles/advanced" aria-current={section === 'advanced' ? 'page' : undefined}>
          Advanced search
        </a>
      </nav>
      {deleted !== null && (
        <p class="notice notice-good" role="status">
          <Icon name="done" /> <span>{deleted} was deleted</span>
        </p>
      )}
      {section === 'advanced' ? (
        <AdvancedSearch parameters={route.parameters} />
      ) : (
        <ProfileList parameters={route.parameters} />
      )}
    </div>
  );
}
