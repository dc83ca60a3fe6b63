// The access graph of a document, with its code loaded on first use.
import { FaultNotice, Waiting } from '../../ui/notice.tsx';
import { useLoad } from '../../ui/use-load.ts';
import type { GraphPanelProps } from './graph/graph-panel.tsx';

export function GraphSection(props: GraphPanelProps) {
  const { value, fault, reload } = useLoad('code', () => import('./graph/graph-panel.tsx'));
  if (fault !== null) return <FaultNotice fault={fault} reload={reload} />;
  if (value === undefined) return <Waiting lines={8} label="Loading the graph" />;
  return <value.GraphPanel {...props} />;
}
