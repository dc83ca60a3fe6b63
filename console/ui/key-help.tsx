// The help sheet of the keyboard.
import { Dialog } from './dialog.tsx';
import { KEY_GROUPS } from './shortcuts.ts';

export function KeyHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <div class="key-groups">
        {KEY_GROUPS.map(({ title, keys }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl class="keys">
              {keys.map(([key, effect]) => (
                <div key={key}>
                  <dt>
                    <kbd class="key">{key}</kbd>
                  </dt>
                  <dd>{effect}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
