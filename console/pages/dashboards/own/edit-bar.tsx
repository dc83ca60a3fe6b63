// The buttons above a tile while its dashboard is edited: move, width, edit, remove.
import { useId } from 'preact/hooks';
import type { TileDefinition } from '../../../api/dashboard.ts';
import { Icon, type IconName } from '../../../ui/icon.tsx';

export interface EditBarProps {
  readonly title: string;
  readonly width: TileDefinition['width'];
  readonly onMove: (by: -1 | 1) => void;
  readonly onWidth: (width: TileDefinition['width']) => void;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

const WIDTHS = [
  { width: 1, label: '¼', name: 'A quarter' },
  { width: 2, label: '½', name: 'Half' },
  { width: 4, label: 'Full', name: 'Full width' },
] as const;

export function EditBar({ title, width, onMove, onWidth, onEdit, onRemove }: EditBarProps) {
  // Titles may be equal.
  const group = useId();
  return (
    <div class="edit-bar" role="toolbar" aria-label={`Edit ${title}`}>
      <span class="edit-grip" title="Drag to move">
        <Icon name="grip" size={16} />
      </span>
      <Action icon="leftwards" name="Move earlier" title={title} onClick={() => onMove(-1)} />
      <Action icon="rightwards" name="Move later" title={title} onClick={() => onMove(1)} />
      <fieldset class="choice" aria-label={`Width of ${title}`}>
        {WIDTHS.map((one) => (
          <label class="choice-option" key={one.width} title={one.name}>
            <input
              type="radio"
              name={group}
              aria-label={one.name}
              checked={one.width === width}
              onChange={() => onWidth(one.width)}
            />
            <span>{one.label}</span>
          </label>
        ))}
      </fieldset>
      <span class="edit-gap" />
      <Action icon="pencil" name="Edit tile" title={title} onClick={onEdit} />
      <Action icon="trash" name="Remove" title={title} onClick={onRemove} />
    </div>
  );
}

function Action({
  icon,
  name,
  title,
  onClick,
}: {
  icon: IconName;
  name: string;
  title: string;
  onClick: () => void;
}) {
  return (
    <button
      type="button"
      class="button-icon"
      data-action={name}
      aria-label={`${name}: ${title}`}
      title={name}
      onClick={onClick}
    >
      <Icon name={icon} size={16} />
    </button>
  );
}
