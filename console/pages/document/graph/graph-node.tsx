// A node of an access graph: a link to its page, a button that unfolds, or a plain label.
import { Icon, type IconName } from '../../../ui/icon.tsx';
import type { VisibleNode } from './folded-graph.ts';

export interface GraphNodeItemProps {
  readonly node: VisibleNode;
  readonly top: number;
  readonly left: number;
  readonly width: number;
  /** True for the document whose page shows the graph. */
  readonly isSubject: boolean;
  /** Names of what grants it. */
  readonly grantedBy: readonly string[];
  readonly isDim: boolean;
  readonly isActive: boolean;
  readonly isTabStop: boolean;
  /** Of a source with a fold; undefined for all others. */
  readonly isFolded: boolean | undefined;
  /** Folds or unfolds what a source or fold stands for. */
  readonly onUnfold: (node: VisibleNode) => void;
  /** Called with the key of the node under the pointer or with the focus, and with null. */
  readonly onActive: (key: string | null) => void;
  readonly onFocus: (key: string) => void;
  /** Where the focusable element is kept. */
  readonly link: Map<string, HTMLElement>;
}

const ICONS: Readonly<Record<VisibleNode['kind'], IconName>> = {
  origin: 'people',
  role: 'cards',
  accessProfile: 'layers',
  entitlement: 'key',
  source: 'source',
  fold: 'plus',
};

export function GraphNodeItem(props: GraphNodeItemProps) {
  const { node, top, left, width, isDim, isFolded, onUnfold, onActive } = props;
  return (
    <li
      class="graph-item"
      data-dim={isDim}
      style={{ left: `${left}px`, top: `${top}px`, width: `${width}px` }}
      onPointerEnter={() => onActive(node.key)}
      onPointerLeave={() => onActive(null)}
    >
      <NodeLink {...props} />
      {isFolded !== undefined && (
        <button
          type="button"
          class="graph-fold"
          tabIndex={-1}
          aria-expanded={!isFolded}
          aria-label={`Access on ${node.name}`}
          title={isFolded ? 'Unfold' : 'Fold'}
          onClick={() => onUnfold(node)}
        >
          <Icon name={isFolded ? 'plus' : 'minus'} size={14} />
        </button>
      )}
    </li>
  );
}

function NodeLink(props: GraphNodeItemProps) {
  const { node, isSubject, isActive, isTabStop, link, onActive, onFocus } = props;
  const common = {
    class: `graph-node graph-node-${node.kind}`,
    title: node.kind === 'fold' ? 'Unfold' : node.name,
    tabIndex: isTabStop ? 0 : -1,
    'data-privileged': node.privileged,
    ...(props.grantedBy.length === 0 || node.kind === 'source'
      ? {}
      : { 'aria-description': `Granted by ${props.grantedBy.join(', ')}` }),
    'data-active': isActive,
    ref: (element: HTMLElement | null) => {
      if (element === null) link.delete(node.key);
      else link.set(node.key, element);
    },
    onFocus: () => {
      onFocus(node.key);
      onActive(node.key);
    },
    onBlur: () => onActive(null),
  };
  const content = (
    <>
      <Icon name={ICONS[node.kind]} size={15} />
      <span class="graph-name">
        {node.name}
        {node.kind === 'fold' && <span class="quiet"> on {node.sourceName}</span>}
      </span>
      {node.privileged && <Privileged node={node} />}
    </>
  );
  if (node.kind === 'fold')
    return (
      <button type="button" {...common} onClick={() => props.onUnfold(node)}>
        {content}
      </button>
    );
  if (node.address === null || isSubject)
    return (
      <span {...common} aria-current={isSubject ? 'page' : undefined}>
        {content}
      </span>
    );
  return (
    <a href={node.address} {...common}>
      {content}
    </a>
  );
}

function Privileged({ node }: { node: VisibleNode }) {
  return (
    <span class="graph-flag" title="Privileged">
      <Icon name="alert" size={14} />
      {node.kind === 'fold' && node.privilegedCount}
      <span class="unseen"> privileged</span>
    </span>
  );
}
