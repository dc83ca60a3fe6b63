// The pages of profiles: the list, one profile, and the advanced search.
import type { PageProps } from '../page-props.ts';
import '../style/document.css';
import '../style/profiles.css';
import { AdvancedSearch } from './advanced-search.tsx';
import { ProfileList } from './profile-list.tsx';
import { ProfileView } from './profile-view.tsx';

export function ProfilesPage({ route }: PageProps) {
  const [, section, id] = route.path;
  if (section === 'of' && id !== undefined) return <ProfileView id={id} key={id} />;
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
      {section === 'advanced' ? (
        <AdvancedSearch parameters={route.parameters} />
      ) : (
        <ProfileList parameters={route.parameters} />
      )}
    </div>
  );
}
