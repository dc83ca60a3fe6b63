// A plan as a tree of clauses, each with its occurrence in the parent clause. If a document is
// being explained, an icon shows whether it matches; a matching `must not` clause is marked as bad.
import { Icon } from '../../ui/icon.tsx';
import type { Clause, Scoring } from './explanation.ts';

const OCCURRENCES = {
  must: 'must',
  should: 'should',
  filter: 'filter',
  mustNot: 'must not',
} as const;

export function ClauseTree({ clause }: { clause: Clause }) {
  return (
    <ul class="clauses" aria-label="Clauses">
      <ClauseItem clause={clause} />
    </ul>
  );
}

function ClauseItem({ clause }: { clause: Clause }) {
  const {
    occurrence,
    text,
    matched,
    elements,
    elementCount,
    score,
    scoring,
    children = [],
    omitted,
  } = clause;
  return (
    <li>
      <div class="clause">
        {matched !== undefined && <MatchIcon clause={clause} />}
        {occurrence !== undefined && (
          <span class={`occurrence occurrence-${occurrence}`}>{OCCURRENCES[occurrence]}</span>
        )}
        <code>{text}</code>
        {elements !== undefined && (
          <span class="chip">
            {elements.length === 0
              ? 'no matching element'
              : `element ${elements.map((at) => at + 1).join(', ')}`}
          </span>
        )}
        {elementCount !== undefined && <span class="quiet">of {elementCount} elements</span>}
        {score !== undefined && matched === true && scoring === undefined && (
          <span class="quiet">{score.toFixed(3)}</span>
        )}
      </div>
      {scoring !== undefined && matched === true && <Score scoring={scoring} />}
      {children.length > 0 && (
        <ul>
          {children.map((child, at) => (
            <ClauseItem clause={child} key={at} />
          ))}
        </ul>
      )}
      {omitted !== undefined && <p class="quiet">{omitted} more not shown</p>}
    </li>
  );
}

function MatchIcon({ clause: { matched, occurrence } }: { clause: Clause }) {
  const isGood = occurrence === 'mustNot' ? !matched : matched;
  const name = matched ? 'matches' : 'does not match';
  return (
    <span
      class={isGood ? 'match match-good' : occurrence === 'should' ? 'match' : 'match match-bad'}
      role="img"
      aria-label={name}
      title={name}
    >
      <Icon name={matched ? 'check' : 'close'} size={14} />
    </span>
  );
}

function Score({ scoring }: { scoring: Scoring }) {
  return (
    <details class="score">
      <summary>
        score {scoring.value.toFixed(3)} <span class="quiet">{scoring.description}</span>
      </summary>
      {scoring.details !== undefined && <ScoreDetails details={scoring.details} />}
    </details>
  );
}

function ScoreDetails({ details }: { details: readonly Scoring[] }) {
  return (
    <ul>
      {details.map((detail, at) => (
        <li key={at}>
          <span class="figure">{detail.value.toFixed(3)}</span> {detail.description}
          {detail.details !== undefined && <ScoreDetails details={detail.details} />}
        </li>
      ))}
    </ul>
  );
}
