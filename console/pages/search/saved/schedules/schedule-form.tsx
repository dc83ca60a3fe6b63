// The form of a schedule: when it runs, until when, who gets the results, and which ones.
import { useId, useState } from 'preact/hooks';
import { type ApiFault, asFault } from '../../../../api/fault.ts';
import { faultsByField } from '../../../../api/field-faults.ts';
import type { ScheduledSearchDefinition } from '../../../../api/saved-searches-api.ts';
import { FormField } from '../../../../ui/form-field.tsx';
import { Button } from '../../../../ui/forms/button.tsx';
import { useIsClosed } from '../../../../ui/forms/use-is-closed.ts';
import { FaultNotice } from '../../../../ui/notice.tsx';
import { useUnsaved } from '../../../../ui/use-unsaved.ts';
import { RecipientsField } from './recipients-field.tsx';
import {
  definitionOf,
  type Frequency,
  type ScheduleDraft,
  scheduleOf,
  withFrequency,
} from './schedule-draft.ts';
import { scheduleText } from './schedule-text.ts';
import { dayChoices, HOURS, MONTHS } from './schedule-values.ts';
import { SelectorField } from './selector-field.tsx';

export interface ScheduleFormProps {
  readonly initial: ScheduleDraft;
  readonly savedSearchId: string;
  readonly onSubmit: (definition: ScheduledSearchDefinition) => Promise<void>;
  readonly onClose: () => void;
}

interface PartProps {
  readonly draft: ScheduleDraft;
  readonly byField: Readonly<Record<string, string>>;
  readonly change: (change: Partial<ScheduleDraft>) => void;
}

const FREQUENCIES: Readonly<Record<Frequency, string>> = {
  HOURLY: 'Hourly',
  DAILY: 'Daily',
  WEEKLY: 'Weekly',
  MONTHLY: 'Monthly',
  ANNUALLY: 'Yearly',
  CALENDAR: 'On dates',
};
/** The members that have a field of their own. */
const FIELDS = [
  ...['name', 'description', 'recipients', 'schedule.hours', 'schedule.days', 'schedule.months'],
  ...['schedule.expiration', 'schedule.timeZoneId'],
];

export function ScheduleForm({ initial, savedSearchId, onSubmit, onClose }: ScheduleFormProps) {
  const [draft, setDraft] = useState(initial);
  const [fault, setFault] = useState<ApiFault | null>(null);
  const [isBusy, setBusy] = useState(false);
  const change = (changed: Partial<ScheduleDraft>) => setDraft({ ...draft, ...changed });
  useUnsaved(JSON.stringify(draft) !== JSON.stringify(initial));
  const { byField, rest } = faultsByField(fault, FIELDS);
  const part = { draft, byField, change };
  const isClosed = useIsClosed();
  const submit = async () => {
    setBusy(true);
    setFault(null);
    try {
      await onSubmit(definitionOf(draft, savedSearchId));
      if (!isClosed.current) onClose();
    } catch (error) {
      setFault(asFault(error));
      setBusy(false);
    }
  };
  return (
    <form
      class="form schedule-form"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      {rest !== null && <FaultNotice fault={rest} />}
      <Times {...part} />
      <Limits {...part} />
      <RecipientsField
        recipients={draft.recipients}
        fault={byField['recipients']}
        onRecipients={(recipients) => change({ recipients })}
      />
      <Options {...part} />
      <FormField label="Name (optional)" fault={byField['name']}>
        {(control) => (
          <input
            {...control}
            autoComplete="off"
            value={draft.name}
            onInput={({ currentTarget }) => change({ name: currentTarget.value })}
          />
        )}
      </FormField>
      <p class="schedule-summary" role="status">
        {scheduleText(scheduleOf(draft))}
      </p>
      <div class="buttons">
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
        <Button type="submit" class="button button-main" isIdle={isBusy}>
          Save schedule
        </Button>
      </div>
    </form>
  );
}

function Times({ draft, byField, change }: PartProps) {
  const name = useId();
  const { frequency } = draft;
  const type = frequency === 'HOURLY' ? 'DAILY' : frequency;
  return (
    <>
      <fieldset class="selector">
        <legend>Repeat</legend>
        <div class="choice frequency">
          {(Object.keys(FREQUENCIES) as Frequency[]).map((one) => (
            <label class="choice-option" key={one}>
              <input
                type="radio"
                name={name}
                checked={one === frequency}
                onChange={() => change(withFrequency(draft, one, today()))}
              />
              <span>{FREQUENCIES[one]}</span>
            </label>
          ))}
        </div>
      </fieldset>
      {type === 'ANNUALLY' && (
        <SelectorField
          label="Months"
          unit="months"
          choices={MONTHS}
          selector={draft.months}
          fault={byField['schedule.months']}
          onSelector={(months) => change({ months })}
        />
      )}
      {type !== 'DAILY' && (
        <SelectorField
          label={type === 'CALENDAR' ? 'Dates' : 'Days'}
          unit="days"
          choices={dayChoices(type)}
          selector={draft.days}
          fault={byField['schedule.days']}
          onSelector={(days) => change({ days })}
        />
      )}
      <SelectorField
        label="Hours"
        unit="hours"
        choices={HOURS}
        selector={draft.hours}
        {...(type === 'DAILY' ? { forms: [draft.hours.type] } : {})}
        fault={byField['schedule.hours']}
        onSelector={(hours) => change({ hours })}
      />
    </>
  );
}

function Limits({ draft, byField, change }: PartProps) {
  const zones = useId();
  return (
    <div class="form-row">
      <FormField
        label="Time zone"
        hint="Empty: that of the service"
        fault={byField['schedule.timeZoneId']}
      >
        {(control) => (
          <>
            <input
              {...control}
              list={zones}
              autoComplete="off"
              spellcheck={false}
              value={draft.timeZone}
              onInput={({ currentTarget }) => change({ timeZone: currentTarget.value })}
            />
            <datalist id={zones}>
              {Intl.supportedValuesOf('timeZone').map((zone) => (
                <option key={zone} value={zone} />
              ))}
            </datalist>
          </>
        )}
      </FormField>
      <FormField label="Ends (UTC)" hint="Empty: never" fault={byField['schedule.expiration']}>
        {(control) => (
          <input
            {...control}
            type="datetime-local"
            value={draft.expiration}
            onInput={({ currentTarget }) => change({ expiration: currentTarget.value })}
          />
        )}
      </FormField>
    </div>
  );
}

function Options({ draft, change }: PartProps) {
  return (
    <div class="form-checks">
      <label>
        <input
          type="checkbox"
          checked={!draft.emailEmptyResults}
          onChange={({ currentTarget }) => change({ emailEmptyResults: !currentTarget.checked })}
        />{' '}
        Send only if there are results
      </label>
      <label>
        <input
          type="checkbox"
          checked={draft.displayQueryDetails}
          onChange={({ currentTarget }) => change({ displayQueryDetails: currentTarget.checked })}
        />{' '}
        Include the query and the first rows in the e-mail, which may be personal data
      </label>
      <label>
        <input
          type="checkbox"
          checked={draft.enabled}
          onChange={({ currentTarget }) => change({ enabled: currentTarget.checked })}
        />{' '}
        On: it runs at these times
      </label>
    </div>
  );
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}
