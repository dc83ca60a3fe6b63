// Sets up profile management over HTTP: a profile type, an attribute of every class, options and
// users.
import assert from 'node:assert/strict';
import type { Call } from './api-key.ts';

/** Ids of the created objects. */
export interface ProfileWorld {
  readonly typeId: string;
  /** Ids by uid. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly userIds: readonly string[];
  /** Creates a profile and returns it. */
  // biome-ignore lint/suspicious/noExplicitAny: docs/openapi.yaml checks the shape
  profile(attributes: object, more?: object): Promise<any>;
}

type Part = Readonly<Record<string, unknown>>;

const several = { allow_multiple_selections: true };
const demand = (validation_method: string) => ({
  validations_attributes: [{ validation_method }],
});

/** Attributes by uid. */
const ATTRIBUTES: Readonly<Record<string, Part>> = {
  first_name: { data_type: 'text field' },
  last_name: { data_type: 'text field' },
  notes: { data_type: 'text area' },
  badge: { data_type: 'text field', ...demand('unique') },
  hours: { data_type: 'text field', ...demand('numericality') },
  mail: { data_type: 'text field', ...demand('email_format') },
  must: { data_type: 'text field', ...demand('required') },
  start: { data_type: 'date' },
  iso: { data_type: 'date', date_format: 'yyyy-mm-dd', ...demand('unique') },
  site: { data_type: 'drop-down' },
  shift: { data_type: 'radio buttons' },
  skills: { data_type: 'check boxes' },
  labels: { data_type: 'tags' },
  cities: { data_type: 'drop-down', ...several },
  company: { data_type: 'profile select' },
  projects: { data_type: 'profile search', ...several },
  sponsor: { data_type: 'owner select' },
  backups: { data_type: 'contributor search', ...several },
  photo: { data_type: 'attachment' },
};

const OPTIONS = ['Oslo', 'Bergen', 'Graz, Styria', 'Århus'];
const WITH_OPTIONS = ['site', 'shift', 'skills', 'labels', 'cities'];

/** @param type additional members of the profile type */
export async function profileWorld(call: Call, type: Part = {}): Promise<ProfileWorld> {
  const create = async (path: string, body: Part) => {
    const answer = await call('POST', `/api/${path}`, body);
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
    return answer.body;
  };
  const attributes: Record<string, string> = {};
  for (const [uid, part] of Object.entries(ATTRIBUTES)) {
    const { ne_attribute } = await create('ne_attributes', {
      ne_attribute: { uid, label: uid, ...part },
    });
    attributes[uid] = ne_attribute.id;
  }
  await create('ne_attribute_options', {
    ne_attribute_options: WITH_OPTIONS.flatMap((uid) =>
      OPTIONS.map((option) => ({ ne_attribute_id: uid, option })),
    ),
  });
  const { users } = await create('users', {
    users: ['Mira Solano', 'Abe Lund'].map((name, n) => ({
      ...{ name, email: `u${n}@acme.test`, login: `u${n}`, type: 'NeprofileUser' },
    })),
  });
  const { profile_type } = await create('profile_type', {
    profile_type: {
      name: 'Contractor',
      profile_type_namings_attributes: [
        { ne_attribute_id: 'last_name', order: 2 },
        { ne_attribute_id: 'first_name', order: 1 },
      ],
      ...type,
    },
  });
  return {
    typeId: profile_type.id,
    attributes,
    userIds: users.map(({ id }: { id: string }) => id),
    async profile(values, more = {}) {
      const sent = { profile_type_id: profile_type.id, status: 'Active', attributes: values };
      return (await create('profile', { profile: { ...sent, ...more } })).profile;
    },
  };
}
