import { useEffect, useRef, useState } from 'react';
import { fileAt, nullPaths } from './files.ts';
import { choicesFor, choicesKey, type PageState, pageState, usePageState } from './page-state.ts';

/** Offers a file input for every null in the variables of the open tab. */
export function FilePickers() {
  const state = usePageState();
  const { tab } = state;
  const paths = useNullPaths(tab.variables);
  const choices = choicesFor(state, tab.operationName);
  return (
    <form id="files" aria-label="Files for this operation" hidden={paths.length === 0}>
      <p>Choose a file for each null among the variables, or send the example.</p>
      {paths.map((path) => (
        <FilePicker
          key={`${choicesKey(tab.id, tab.operationName)} ${path}`}
          path={path}
          file={fileAt(path, choices)}
          onChoose={(file) => choose(state, path, file)}
        />
      ))}
    </form>
  );
}

/** The last paths stay while the JSON is incomplete, as it is while the user types. */
function useNullPaths(variables: string): string[] {
  const [paths, setPaths] = useState<string[]>([]);
  useEffect(() => {
    try {
      setPaths(nullPaths(JSON.parse(variables.trim() || '{}') ?? {}));
    } catch {
      // Incomplete.
    }
  }, [variables]);
  return paths;
}

function choose(state: PageState, path: string, file: File | null): void {
  const { tab, choices } = state;
  const chosen = new Map(choicesFor(state, tab.operationName)).set(path, file);
  pageState.update({ choices: new Map(choices).set(choicesKey(tab.id, tab.operationName), chosen) });
}

interface PickerProps {
  path: string;
  file: File | null;
  onChoose(file: File | null): void;
}

function FilePicker({ path, file, onChoose }: PickerProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (input.current && (input.current.files?.[0] ?? null) !== file) {
      const shown = new DataTransfer();
      if (file) {
        shown.items.add(file);
      }
      input.current.files = shown.files;
    }
  }, [file]);
  const name = path.replace(/^variables\.(input\.)?/, '');
  return (
    <div className="file">
      <label>
        <span>{name}</span>{' '}
        <input
          ref={input}
          type="file"
          name={path}
          onChange={({ target }) => onChoose(target.files?.[0] ?? null)}
        />
      </label>
      {file && (
        <button type="button" aria-label={`Send no ${name}`} onClick={() => onChoose(null)}>
          ×
        </button>
      )}
    </div>
  );
}
