// The advanced search: finds profiles that match all rules. The rules are part of the address; a
// search can be saved under a label for all users.
import { useState } from 'preact/hooks';
import {
  deleteSearch,
  type ProfileType,
  profileAttributes,
  profileTypes,
  runRules,
  runSaved,
  type SavedSearch,
  savedSearches,
  saveSearch,
} from '../api/profiles-api.ts';
import { Confirm } from '../ui/confirm.tsx';
import { Icon } from '../ui/icon.tsx';
import { Empty, FaultNotice, Waiting } from '../ui/notice.tsx';
import { go, replace } from '../ui/route.ts';
import { useAttempt } from '../ui/use-attempt.ts';
import { useLoad } from '../ui/use-load.ts';
import { ProfileTable } from './profile-table.tsx';
import { RuleRow } from './rule-row.tsx';
import {
  type ProfileAttribute,
  RULES_MAX,
  type Rule,
  rulesFromAddress,
  rulesFromApi,
  rulesToAddress,
} from './rules.ts';

const DEFAULT_RULE: Rule = { subject: 'status', attribute: '', operator: '==', value: 'Active' };

export function AdvancedSearch({ parameters }: { parameters: URLSearchParams }) {
  const address = parameters.get('rules');
  const [rules, setRules] = useState<readonly Rule[]>(() => rulesFromAddress(address));
  // Reads the rules again when the address changes, as by the back button.
  const [readAddress, setReadAddress] = useState(address);
  if (address !== readAddress) {
    setReadAddress(address);
    setRules(rulesFromAddress(address));
  }
  const types = useLoad('types', profileTypes);
  const attributes = useLoad('attributes', profileAttributes);
  const offset = Number(parameters.get('offset') ?? 0) || 0;
  const saved = parameters.get('saved');
  const key = saved === null ? address : `saved ${saved}`;
  const results = useLoad(key === null ? null : `${key} ${offset}`, (signal) =>
    saved === null
      ? runRules(rulesFromAddress(address), offset, signal)
      : runSaved(saved, offset, signal),
  );
  const run = () => {
    if (rulesToAddress(rules) === address) results.reload();
    else go(addressOf(rules, 0));
  };
  for (const { fault, reload } of [attributes, types]) {
    if (fault !== null) return <FaultNotice fault={fault} reload={reload} />;
  }
  if (attributes.value === undefined || types.value === undefined) return <Waiting />;
  return (
    <>
      <Saved onOpen={(opened) => go(addressOf(opened, 0))} rules={rules} />
      <RuleForm
        rules={rules}
        types={types.value}
        attributes={attributes.value}
        onRules={setRules}
        onRun={run}
      />
      {results.fault !== null && <FaultNotice fault={results.fault} reload={results.reload} />}
      {results.loading && results.value === undefined && <Waiting lines={6} />}
      {results.value !== undefined && results.fault === null && (
        <ProfileTable
          page={results.value}
          types={types.value}
          offset={offset}
          onOffset={(next) =>
            replace(
              saved === null
                ? addressOf(rulesFromAddress(address), next)
                : savedAddress(saved, next),
            )
          }
        />
      )}
    </>
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
  const change = (at: number, rule: Rule | null) =>
    onRules(rules.flatMap((one, nth) => (nth !== at ? [one] : rule === null ? [] : [rule])));
  return (
    <form
      class="rules"
      onSubmit={(event) => {
        event.preventDefault();
        onRun();
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

function Saved({
  onOpen,
  rules,
}: {
  onOpen: (rules: readonly Rule[]) => void;
  rules: readonly Rule[];
}) {
  const { value, fault, reload } = useLoad('saved', savedSearches);
  const { refusal, attempt } = useAttempt(reload);
  const [toDelete, setToDelete] = useState<SavedSearch | null>(null);
  return (
    <section class="saved" aria-label="Saved searches">
      <h2>Saved searches</h2>
      {fault !== null && <FaultNotice fault={fault} reload={reload} />}
      {value?.length === 0 && <Empty icon="cards" title="No saved searches" />}
      <ul class="saved-list">
        {value?.map((search) => {
          const editable = rulesFromApi(search.condition_rules_attributes);
          const open = () =>
            editable === null ? go(savedAddress(search.id, 0)) : onOpen(editable);
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
              <button
                type="button"
                class="button-icon"
                aria-label={`Delete ${search.label}`}
                onClick={() => setToDelete(search)}
              >
                <Icon name="close" size={14} />
              </button>
            </li>
          );
        })}
      </ul>
      <form
        class="save"
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          const label = String(new FormData(form).get('label')).trim();
          void attempt(() => saveSearch(label, rules)).then((isSaved) => {
            if (isSaved) form.reset();
          });
        }}
      >
        <label class="field">
          <span>Save search as</span>
          <input name="label" required autoComplete="off" maxLength={200} />
        </label>
        <button type="submit" class="button">
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

function addressOf(rules: readonly Rule[], offset: number): string {
  const parameters = new URLSearchParams({ rules: rulesToAddress(rules) });
  if (offset > 0) parameters.set('offset', String(offset));
  return `/profiles/advanced?${parameters}`;
}

/** The address of a saved search that runs unchanged. */
function savedAddress(id: string, offset: number): string {
  const parameters = new URLSearchParams({ saved: id });
  if (offset > 0) parameters.set('offset', String(offset));
  return `/profiles/advanced?${parameters}`;
}
