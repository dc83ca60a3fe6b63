// The field of one attribute in the form of a profile, by the kind of its values, with its faults
// below it.
import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { attributeOptions } from '../../../api/profiles-api.ts';
import {
  type Choice,
  isValidated,
  type ProfileAttribute,
  takesSeveral,
  valueKindOf,
} from '../../../model/profiles/attributes.ts';
import type { FieldValue } from '../../../model/profiles/profile-draft.ts';
import { FieldFault } from '../../../ui/form-field.tsx';
import { useLoad } from '../../../ui/use-load.ts';
import { ReferencePicker } from './reference-picker.tsx';

export interface AttributeFieldProps {
  readonly attribute: ProfileAttribute;
  readonly value: FieldValue;
  readonly isRequired: boolean;
  readonly isChanged: boolean;
  /** Sentences of the form or of the service. */
  readonly faults: readonly string[];
  readonly onValue: (value: FieldValue) => void;
}

export function AttributeField(props: AttributeFieldProps) {
  const { attribute, value, isRequired, faults, onValue, isChanged } = props;
  const { label, type } = attribute;
  const id = useId();
  const kind = valueKindOf(type);
  const faulty = faults.length > 0 ? { faultId: `${id}-fault` } : {};
  const frame = { id, label, isRequired, isChanged, faults, hint: attribute.description ?? null };
  if (kind === 'none') return null;
  if (kind === 'user' || kind === 'profile')
    return (
      <FieldFrame {...frame} isGroup>
        <ReferencePicker
          label={label}
          kind={kind}
          typeId={kind === 'profile' ? (attribute.profile_type_id ?? null) : null}
          takesSeveral={takesSeveral(attribute)}
          chosen={typeof value === 'string' ? [] : value}
          onChosen={onValue}
          {...faulty}
        />
      </FieldFrame>
    );
  if (kind === 'option')
    return (
      <FieldFrame {...frame} isGroup={takesSeveral(attribute)}>
        <OptionsField {...props} id={id} />
      </FieldFrame>
    );
  return (
    <FieldFrame {...frame}>
      <TextInput {...props} id={id} />
    </FieldFrame>
  );
}

interface FieldFrameProps {
  /** Id of the control. */
  readonly id: string;
  readonly label: string;
  readonly isRequired: boolean;
  readonly isChanged: boolean;
  readonly faults: readonly string[];
  readonly hint: string | null;
  /** True if the control has several parts, each with a name of its own. */
  readonly isGroup?: boolean;
  readonly children: ComponentChildren;
}

/** A label, a control, and the faults below it. */
export function FieldFrame(props: FieldFrameProps) {
  const { id, label, isRequired, isChanged, faults, hint, isGroup = false, children } = props;
  const title = (
    <>
      {label}
      {isRequired && <span class="required"> (required)</span>}
    </>
  );
  return (
    <div class="form-field" data-changed={isChanged} data-faulty={faults.length > 0}>
      {isGroup ? (
        <span class="form-label">{title}</span>
      ) : (
        <label class="form-label" for={id}>
          {title}
        </label>
      )}
      {children}
      {hint !== null && hint !== '' && <p class="quiet">{hint}</p>}
      <FieldFault
        id={`${id}-fault`}
        fault={faults.length > 0 ? faults.join('. ') : undefined}
        isAlert={false}
      />
    </div>
  );
}

type ControlProps = AttributeFieldProps & { readonly id: string };

/** The attributes that join a control to its faults. */
export function validity(id: string, faults: readonly string[]) {
  const isInvalid = faults.length > 0;
  return {
    'aria-invalid': isInvalid,
    'aria-describedby': isInvalid ? `${id}-fault` : undefined,
  };
}

function TextInput({ id, attribute, value, faults, onValue }: ControlProps) {
  const text = typeof value === 'string' ? value : '';
  const shared = { id, name: attribute.uid, ...validity(id, faults), autoComplete: 'off' };
  if (attribute.type === 'TextAreaAttribute')
    return (
      <textarea
        {...shared}
        class="form-text"
        rows={3}
        value={text}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
    );
  const input = {
    ...shared,
    value: text,
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
      onValue(currentTarget.value),
  };
  if (valueKindOf(attribute.type) === 'date') return <input {...input} type="date" />;
  const isNumber = isValidated(attribute, 'numericality');
  const isEmail = isValidated(attribute, 'email_format');
  return (
    <input
      {...input}
      type="text"
      inputMode={isNumber ? 'decimal' : isEmail ? 'email' : undefined}
    />
  );
}

function OptionsField({ id, attribute, value, faults, onValue }: ControlProps) {
  const options = useLoad(`options ${attribute.id}`, (signal) =>
    attributeOptions(attribute.id, signal),
  );
  const chosen = typeof value === 'string' ? [] : value;
  const [first] = useState(chosen);
  // Those of the profile are shown at once, the others when they are loaded.
  const choices = options.value ?? first;
  if (!takesSeveral(attribute))
    return (
      <select
        id={id}
        {...validity(id, faults)}
        value={chosen[0]?.value ?? ''}
        onChange={({ currentTarget }) =>
          onValue(choices.filter((choice) => choice.value === currentTarget.value))
        }
      >
        <option value="">(none)</option>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
    );
  const toggle = (choice: Choice) => {
    const others = chosen.filter((one) => one.value !== choice.value);
    onValue(others.length === chosen.length ? [...chosen, choice] : others);
  };
  return (
    <fieldset class="form-options" {...validity(id, faults)}>
      <legend class="unseen">{attribute.label}</legend>
      {choices.map((choice) => (
        <label key={choice.value}>
          <input
            type="checkbox"
            checked={chosen.some((one) => one.value === choice.value)}
            onChange={() => toggle(choice)}
          />
          {choice.label}
        </label>
      ))}
    </fieldset>
  );
}
