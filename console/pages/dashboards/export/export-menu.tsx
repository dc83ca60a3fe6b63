// Exports a dashboard or a tile as an image or as CSV. The data are loaded anew, so that all tiles
// are of the same moment.
import { useEffect, useRef, useState } from 'preact/hooks';
import { asFault } from '../../../api/fault.ts';
import { download } from '../../../export/download.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { Menu } from '../../../ui/menu.tsx';
import type { LoadedTile, Tile } from '../tile/tile.ts';

export interface ExportMenuProps {
  /** The name of the dashboard or tile. */
  readonly title: string;
  readonly tiles: readonly Tile[];
  /** True for the menu of a tile, whose button is an icon. */
  readonly isCompact?: boolean;
}

type Format = 'png' | 'csv';
type Progress =
  | { readonly state: 'idle' | 'running' | 'done' }
  | { readonly state: 'failed'; readonly message: string };

export function ExportMenu({ title, tiles, isCompact = false }: ExportMenuProps) {
  return (
    <div class={isCompact ? 'tile-menu' : undefined}>
      <Menu icon={isCompact ? 'more' : 'download'} label={isCompact ? `Export ${title}` : 'Export'}>
        {() => <ExportPanel title={title} tiles={tiles} />}
      </Menu>
    </div>
  );
}

function ExportPanel({ title, tiles }: ExportMenuProps) {
  const [progress, setProgress] = useState<Progress>({ state: 'idle' });
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const start = async (format: Format) => {
    const controller = new AbortController();
    running.current = controller;
    setProgress({ state: 'running' });
    try {
      const date = new Date().toISOString();
      const loaded = await loadAll(tiles, controller.signal);
      const blob = await fileOf(format, title, date, loaded);
      download(blob, `${fileName(title)}-${date.slice(0, 10)}.${format}`);
      setProgress({ state: 'done' });
    } catch (error) {
      if (controller.signal.aborted) return;
      const message = `${asFault(error).message} No file was created.`;
      setProgress({ state: 'failed', message });
    }
  };
  const isRunning = progress.state === 'running';
  return (
    <div class="export">
      <div class="buttons">
        <Button class="button" isIdle={isRunning} onClick={() => void start('png')}>
          PNG (image)
        </Button>
        <Button class="button" isIdle={isRunning} onClick={() => void start('csv')}>
          CSV (exact values)
        </Button>
      </div>
      {isRunning && <p role="status">Loading the data</p>}
      {progress.state === 'done' && <p role="status">Exported</p>}
      {progress.state === 'failed' && (
        <p class="field-fault" role="alert">
          {progress.message}
        </p>
      )}
    </div>
  );
}

function loadAll(tiles: readonly Tile[], signal: AbortSignal): Promise<LoadedTile[]> {
  return Promise.all(tiles.map(async (tile) => ({ tile, data: await tile.load(signal) })));
}

/** The code that writes a format is loaded with its first export. */
async function fileOf(
  format: Format,
  title: string,
  date: string,
  tiles: readonly LoadedTile[],
): Promise<Blob> {
  if (format === 'png') return (await import('./image-drawing.ts')).drawImage(title, date, tiles);
  const { dashboardCsv, tileCsv } = await import('./dashboard-csv.ts');
  const [tile] = tiles;
  const isTile = tiles.length === 1 && tile?.tile.title === title;
  const text = isTile && tile !== undefined ? tileCsv(tile) : dashboardCsv(tiles);
  return new Blob([text], { type: 'text/csv;charset=utf-8' });
}

/** A title as the name of a file. */
function fileName(title: string): string {
  const name = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
  return name === '' ? 'dashboard' : name;
}
