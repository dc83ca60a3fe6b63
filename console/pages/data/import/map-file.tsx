// Saves a map as a file, for the next import here or by the command, and loads one.

import { useState } from 'preact/hooks';
import { download } from '../../../export/download.ts';
import type { ImportMap } from '../../../model/import-map.ts';

export interface MapFileProps {
  /** Of the file with the rows. */
  readonly name: string;
  readonly map: ImportMap | null;
  readonly onMap: (map: ImportMap) => void;
}

export function MapFile({ name, map, onMap }: MapFileProps) {
  const [fault, setFault] = useState<string | null>(null);
  const load = async (file: File) => {
    try {
      const loaded = JSON.parse(await file.text()) as ImportMap;
      if (typeof loaded.columns !== 'object' || loaded.columns === null) throw new SyntaxError();
      setFault(null);
      onMap(loaded);
    } catch {
      setFault(`${file.name} is no map that the console saved.`);
    }
  };
  const save = () => {
    const blob = new Blob([`${JSON.stringify(map, null, 2)}\n`], { type: 'application/json' });
    download(blob, `${name.replace(/\.(?:[ct]sv|txt)(?:\.gz)?$/i, '')}.map.json`);
  };
  return (
    <>
      {map !== null && (
        <button type="button" class="button" onClick={save}>
          Save map
        </button>
      )}
      <label class="button file-button">
        Load map
        <input
          type="file"
          class="unseen"
          accept=".json"
          onChange={({ currentTarget }) => {
            const [chosen] = currentTarget.files ?? [];
            currentTarget.value = '';
            if (chosen !== undefined) void load(chosen);
          }}
        />
      </label>
      {fault !== null && (
        <p class="field-fault" role="alert">
          {fault}
        </p>
      )}
    </>
  );
}
