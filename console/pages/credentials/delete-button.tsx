// The button of a row that deletes a credential, after a confirmation.

/** @param name what is deleted, such as `token Nightly export` */
export function DeleteButton({ name, onClick }: { name: string; onClick: () => void }) {
  return (
    <button
      type="button"
      class="link-button link-danger"
      aria-label={`Delete ${name}`}
      onClick={onClick}
    >
      Delete
    </button>
  );
}
