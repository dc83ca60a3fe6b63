// Explains how the service parsed a query, or why a document matches it or does not.
import { explain } from '../../api/search-api.ts';
import { labelOf } from '../../model/kinds.ts';
import { searchBody } from '../../model/search-body.ts';
import type { SearchState } from '../../model/search-state.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { LoadNotice } from '../../ui/notice.tsx';
import { useLoad } from '../../ui/use-load.ts';
import { ClauseTree } from './clause-tree.tsx';
import type { Explanation } from './explanation.ts';

export interface ExplainDrawerProps {
  readonly state: SearchState;
  /** The document to explain; null: only the query. */
  readonly of: { readonly id: string; readonly title: string } | null;
  readonly onClose: () => void;
}

export function ExplainDrawer({ state, of, onClose }: ExplainDrawerProps) {
  const body = searchBody(state);
  const document = of === null ? null : { index: state.index, id: of.id };
  const { value, fault, reload } = useLoad(JSON.stringify([body, document]), (signal) =>
    explain<Explanation>(body, document, signal),
  );
  return (
    <Dialog
      shape="drawer"
      title={of === null ? 'Query explanation' : `Explanation of ${of.title}`}
      onClose={onClose}
    >
      <LoadNotice value={value} fault={fault} reload={reload} />
      {value !== undefined && <ExplanationBody explanation={value} query={state.query} />}
    </Dialog>
  );
}

function ExplanationBody({ explanation, query }: { explanation: Explanation; query: string }) {
  const { document, targets, warnings, matched, milliseconds, plan } = explanation;
  return (
    <div class="explain">
      <code class="explain-query">{query === '' ? '*' : query}</code>
      {document !== undefined && (
        <p class={document.matched ? 'verdict verdict-good' : 'verdict verdict-bad'}>
          <Icon name={document.matched ? 'check' : 'close'} size={16} />
          {document.matched ? 'This document matches' : 'This document does not match'}
          {document.score !== undefined && document.score !== null && document.matched && (
            <span class="quiet"> with a score of {document.score.toFixed(3)}</span>
          )}
        </p>
      )}
      {warnings.map(({ text }) => (
        <p class="notice notice-plain" key={text}>
          <Icon name="alert" size={16} /> {text}
        </p>
      ))}
      <h3>{document === undefined ? 'Query clauses' : 'Clauses'}</h3>
      {document !== undefined ? (
        <ClauseTree clause={document.clauses} />
      ) : (
        targets.map(({ indices, clauses }) => (
          <ClauseTree clause={clauses} key={indices.join(' ')} />
        ))
      )}
      <h3>Cost</h3>
      <dl class="facts">
        <div>
          <dt>Matching documents</dt>
          <dd>{matched.toLocaleString('en')}</dd>
        </div>
        {Object.entries(milliseconds).map(([stage, figure]) => (
          <div key={stage}>
            <dt>{labelOf(stage)}</dt>
            <dd>{figure.toFixed(2)} ms</dd>
          </div>
        ))}
      </dl>
      <details>
        <summary>Full plan</summary>
        <pre class="code">{plan}</pre>
      </details>
    </div>
  );
}
