// The help sheet of the keyboard.
import { Dialog } from './dialog.tsx';
import { areKeysOn, chooseKeys } from './keyboard/single-keys.ts';
import { KEY_GROUPS } from './shortcuts.ts';
import { useCell } from './use-cell.ts';

export function KeyHelp({ onClose }: { onClose: () => void }) {
  const areOn = useCell(areKeysOn);
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <label class="key-choice">
        <input
          type="checkbox"
          checked={areOn}
          onChange={({ currentTarget }) => chooseKeys(currentTarget.checked)}
        />{' '}
        Use the keys <kbd class="key">/</kbd> and <kbd class="key">?</kbd> on every page
      </label>
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
