// The form for a new API client.
import type { NewApiClient } from '../../api/clients-api.ts';
import { Button } from '../../ui/forms/button.tsx';
import { useCreation } from '../../ui/forms/use-creation.ts';
import { ViewField, viewIn } from '../views/view-field.tsx';

/**
 * @param isIdle true while a new secret is shown
 * @param onCreate resolves to false if the client was refused; the form then keeps its values
 */
export function NewClient({
  isIdle,
  onCreate,
}: {
  isIdle: boolean;
  onCreate: (client: NewApiClient) => Promise<boolean>;
}) {
  const submit = useCreation((fields) => onCreate(clientOf(fields)));
  return (
    <section class="related" aria-label="New API client">
      <h2>New API client</h2>
      <form class="new-token" onSubmit={submit}>
        <label class="field">
          <span>Client name</span>
          <input name="name" required maxLength={255} autoComplete="off" />
        </label>
        <label class="field">
          <span>Description</span>
          <input name="description" maxLength={2000} autoComplete="off" />
        </label>
        <label class="field">
          <span>Scopes</span>
          <input
            name="scope"
            required
            defaultValue="sp:search:read"
            autoComplete="off"
            spellcheck={false}
          />
        </label>
        <ViewField />
        <label class="check">
          <input type="checkbox" name="refresh" /> Allow refresh tokens
        </label>
        <Button type="submit" class="button" isIdle={isIdle}>
          Create client
        </Button>
      </form>
    </section>
  );
}

function clientOf(fields: FormData): NewApiClient {
  return {
    name: String(fields.get('name')),
    description: String(fields.get('description')),
    grantTypes: ['CLIENT_CREDENTIALS', ...(fields.has('refresh') ? ['REFRESH_TOKEN'] : [])],
    scope: String(fields.get('scope')).split(/\s+/).filter(Boolean),
    ...viewIn(fields),
  };
}
