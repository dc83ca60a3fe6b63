// The advanced search: finds profiles that match all rules. The rules are part of the address; a
// search can be saved under a label for all users.
import { useState } from 'preact/hooks';
import type { ApiFault } from '../../../api/fault.ts';
import {
  deleteSearch,
  runRules,
  runSaved,
  type SavedSearch,
  savedSearches,
  saveSearch,
} from '../../../api/profiles-api.ts';
import type { ProfileAttribute, ProfileType } from '../../../model/profiles/attributes.ts';
import {
  attributesOfRules,
  incompleteRule,
  RULES_MAX,
  type Rule,
  rulesFromAddress,
  rulesFromApi,
  rulesOfBody,
  rulesToAddress,
  typeOfRules,
} from '../../../model/profiles/rules.ts';
import { Confirm } from '../../../ui/confirm.tsx';
import { useCreation } from '../../../ui/forms/use-creation.ts';
import { Icon } from '../../../ui/icon.tsx';
import { useOneStop } from '../../../ui/keyboard/one-stop.ts';
import { FaultNotice, Waiting } from '../../../ui/notice.tsx';
import { go, replace } from '../../../ui/route.ts';
import { addressWith, changedParameters } from '../../../ui/table/list-state.ts';
import { useAttempt } from '../../../ui/use-attempt.ts';
import { useLoad } from '../../../ui/use-load.ts';
import { attributeKey, profileColumns } from '../results/profile-columns.tsx';
import { ProfileResults } from '../results/profile-results.tsx';
import { useMayWrite } from '../results/use-may-write.ts';
import {
  type ProfileModel,
  useProfileModel,
  useTypeAttributes,
} from '../results/use-type-attributes.ts';
import { RuleRow } from './rule-row.tsx';

const DEFAULT_RULE: Rule = { subject: 'status', attribute: '', operator: '==', value: 'Active' };

export function AdvancedSearch({ parameters }: { parameters: URLSearchParams }) {
  const address = parameters.get('rules');
  const [rules, setRules] = useState<readonly Rule[]>(() => rulesFromAddress(address));
  // Reads the rules again when the address changes, as by the back button.
  const [readAddress, setReadAddress] = useState(address);
  const [run, setRun] = useState(0);
  if (address !== readAddress) {
    setReadAddress(address);
    setRules(rulesFromAddress(address));
  }
  const { model, fault, reload } = useProfileModel();
  const saved = useLoad('saved', savedSearches);
  if (fault !== null) return <FaultNotice fault={fault} reload={reload} />;
  if (model === undefined) return <Waiting />;
  return (
    <>
      <Saved
        searches={saved.value}
        fault={saved.fault}
        reload={saved.reload}
        onOpen={(opened) => go(addressOf(opened))}
        rules={rules}
      />
      <RuleForm
        rules={rules}
        types={model.types}
        attributes={model.attributes}
        onRules={setRules}
        onRun={() => {
          if (rulesToAddress(rules) === address) setRun(run + 1);
          else go(addressOf(rules));
        }}
      />
      {(address !== null || parameters.has('saved')) && (
        <Results model={model} parameters={parameters} searches={saved.value} run={run} />
      )}
    </>
  );
}

interface ResultsProps {
  readonly model: ProfileModel;
  readonly parameters: URLSearchParams;
  readonly searches: readonly SavedSearch[] | undefined;
  /** Counts the runs of the same rules. */
  readonly run: number;
}

/** The profiles that match; the table shows the attributes that the rules are about. */
function Results({ model, parameters, searches, run }: ResultsProps) {
  const saved = parameters.get('saved');
  const rules = rulesFromAddress(parameters.get('rules'));
  const search = searches?.find(({ id, uid }) => id === saved || uid === saved);
  const stored = saved === null ? rulesOfBody(rules) : (search?.condition_rules_attributes ?? []);
  const typeId = typeOfRules(stored);
  const groups = useTypeAttributes(model, typeId);
  if (groups === undefined || (saved !== null && searches === undefined))
    return <Waiting lines={6} />;
  const isOfType = model.types.some(({ id, uid }) => id === typeId || uid === typeId);
  const about = attributesOfRules(stored).flatMap(
    (key) => model.attributes.find(({ id, uid }) => id === key || uid === key) ?? [],
  );
  const listed = groups.flatMap(({ attributes }) => attributes);
  const others = about.filter(({ id }) => !listed.some((attribute) => attribute.id === id));
  return (
    <ProfileResults
      sourceKey={`${saved === null ? rulesToAddress(rules) : `saved ${saved}`} ${run}`}
      source={(window, signal) =>
        saved === null ? runRules(rules, window, signal) : runSaved(saved, window, signal)
      }
      parameters={parameters}
      isWhole={false}
      onChange={(changes) =>
        replace(addressWith('/profiles/advanced', changedParameters(parameters, changes)))
      }
      columns={profileColumns(model.types, [...listed, ...others])}
      defaults={[
        ...['name', ...(isOfType ? [] : ['type']), 'status'],
        ...about.map(attributeKey),
        'updated_at',
      ]}
      table={null}
    />
  );
}

interface RuleFormProps {
  readonly rules: readonly Rule[];
  readonly types: readonly ProfileType[];
  readonly attributes: readonly ProfileAttribute[];
  readonly onRules: (rules: readonly Rule[]) => void;
  readonly onRun: () => void;
}

function RuleForm({ rules, types, attributes, onRules, onRun }: RuleFormProps) {
  const [incomplete, setIncomplete] = useState<number | null>(null);
  const change = (at: number, rule: Rule | null) =>
    onRules(rules.flatMap((one, nth) => (nth !== at ? [one] : rule === null ? [] : [rule])));
  return (
    <form
      class="rules"
      onSubmit={(event) => {
        event.preventDefault();
        const at = incompleteRule(rules);
        setIncomplete(at);
        if (at === null) onRun();
      }}
    >
      {rules.length === 0 && <p class="quiet">Without rules, all profiles match.</p>}
      {rules.map((rule, at) => (
        <RuleRow
          key={`${at} ${rules.length}`}
          at={at}
          rule={rule}
          types={types}
          attributes={attributes}
          onChange={(next) => change(at, next)}
          onRemove={() => change(at, null)}
        />
      ))}
      {incomplete !== null && (
        <p class="field-fault" role="alert">
          <Icon name="alert" size={16} /> Rule {incomplete + 1} needs a value. To find profiles
          without one, select “is empty”.
        </p>
      )}
      <div class="buttons">
        <button
          type="button"
          class="button"
          disabled={rules.length >= RULES_MAX}
          onClick={() => onRules([...rules, DEFAULT_RULE])}
        >
          <Icon name="plus" size={16} /> Add rule
        </button>
        <button type="submit" class="button button-main">
          Run
        </button>
      </div>
    </form>
  );
}

interface SavedProps {
  readonly searches: readonly SavedSearch[] | undefined;
  readonly fault: ApiFault | null;
  readonly reload: () => void;
  readonly onOpen: (rules: readonly Rule[]) => void;
  readonly rules: readonly Rule[];
}

function Saved({ searches, fault, reload, onOpen, rules }: SavedProps) {
  const stop = useOneStop<HTMLUListElement>('button', 'li');
  const mayWrite = useMayWrite();
  const isSavable = rules.length > 0 && incompleteRule(rules) === null;
  const { refusal, attempt } = useAttempt(reload);
  const [toDelete, setToDelete] = useState<SavedSearch | null>(null);
  const save = useCreation((fields) => {
    const label = String(fields.get('label')).trim();
    return attempt(() => saveSearch(label, rules));
  });
  return (
    <section class="saved" aria-label="Saved searches">
      <h2>Saved searches</h2>
      {fault !== null && <FaultNotice fault={fault} reload={reload} />}
      {searches?.length === 0 && <p class="quiet">No saved searches. Add rules, then save them.</p>}
      <ul class="saved-list" {...stop}>
        {searches?.map((search) => {
          const editable = rulesFromApi(search.condition_rules_attributes);
          const open = () => (editable === null ? go(savedAddress(search.id)) : onOpen(editable));
          return (
            <li key={search.id}>
              <button
                type="button"
                class="link-button"
                title={
                  editable === null
                    ? 'Has rules that cannot be edited here, and runs unchanged'
                    : ''
                }
                onClick={open}
              >
                {search.label}
              </button>
              {mayWrite && (
                <button
                  type="button"
                  class="button-icon link-danger"
                  aria-label={`Delete ${search.label}`}
                  title="Delete"
                  onClick={() => setToDelete(search)}
                >
                  <Icon name="trash" size={14} />
                </button>
              )}
            </li>
          );
        })}
      </ul>
      <form class="save" hidden={!mayWrite} onSubmit={save}>
        <label class="field">
          <span>Save search as</span>
          <input name="label" required autoComplete="off" maxLength={200} />
        </label>
        <button
          type="submit"
          class="button"
          disabled={!isSavable}
          title={isSavable ? undefined : 'Add rules, each with a value, to save them'}
        >
          Save
        </button>
      </form>
      {refusal !== null && <FaultNotice fault={refusal} />}
      {toDelete !== null && (
        <Confirm
          title={`Delete “${toDelete.label}”?`}
          sentence="It will be deleted for all users."
          onConfirm={() => void attempt(() => deleteSearch(toDelete.id))}
          onClose={() => setToDelete(null)}
        />
      )}
    </section>
  );
}

function addressOf(rules: readonly Rule[]): string {
  return `/profiles/advanced?${new URLSearchParams({ rules: rulesToAddress(rules) })}`;
}

/** The address of a saved search that runs unchanged. */
function savedAddress(id: string): string {
  return `/profiles/advanced?${new URLSearchParams({ saved: id })}`;
}
