// The page that creates a view.
import { createView } from '../../api/views/views-api.ts';
import { go, href, whileHere } from '../../ui/route.ts';
import { ViewForm } from './view-form.tsx';

export function NewView() {
  return (
    <div class="page">
      <h1>New view</h1>
      <ViewForm
        view={null}
        onSave={async (definition) => {
          const goOn = whileHere(go);
          const created = await createView(definition);
          return () => goOn(href('views', created.name));
        }}
      />
    </div>
  );
}
