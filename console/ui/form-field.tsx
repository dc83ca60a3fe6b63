// A field of a form with its label, and below it what the service refused about it.
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Icon } from './icon.tsx';

/** The attributes of the control that join it to its label and its fault. */
export interface ControlProps {
  readonly id: string;
  readonly 'aria-invalid': boolean;
  readonly 'aria-describedby': string | undefined;
}

export interface FormFieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly fault: string | undefined;
  readonly children: (control: ControlProps) => ComponentChildren;
}

export function FormField({ label, hint, fault, children }: FormFieldProps) {
  const id = useId();
  const notes = [
    ...(hint === undefined ? [] : [`${id}-hint`]),
    ...(fault === undefined ? [] : [`${id}-fault`]),
  ];
  return (
    <div class="field form-field">
      <label for={id}>{label}</label>
      {children({
        id,
        'aria-invalid': fault !== undefined,
        'aria-describedby': notes.length === 0 ? undefined : notes.join(' '),
      })}
      {hint !== undefined && (
        <span class="quiet form-hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      <FieldFault id={`${id}-fault`} fault={fault} />
    </div>
  );
}

export interface FieldFaultProps {
  readonly id?: string;
  readonly fault: string | undefined;
  /** False if the form leads to the field, which the message describes; true by default. */
  readonly isAlert?: boolean;
}

/** The message about a field; nothing without one. */
export function FieldFault({ id, fault, isAlert = true }: FieldFaultProps) {
  if (fault === undefined) return null;
  return (
    <p class="field-fault" role={isAlert ? 'alert' : undefined} id={id}>
      <Icon name="alert" size={15} /> {fault}
    </p>
  );
}
