// The choice to share something with the other users of the tenant.

export interface ShareChoiceProps {
  readonly shared: boolean;
  /** What the other users see and may do. */
  readonly hint: string;
  readonly onChange: (shared: boolean) => void;
}

export function ShareChoice({ shared, hint, onChange }: ShareChoiceProps) {
  return (
    <label class="share-choice">
      <input
        type="checkbox"
        checked={shared}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      <span>
        Share with all users of the tenant who may search <span class="quiet">{hint}</span>
      </span>
    </label>
  );
}
