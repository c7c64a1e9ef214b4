import type { DragEvent } from 'react';
import { useRef, useState } from 'react';
import { sizeText, useTexts } from '../language/language.ts';
import { settings } from '../settings.ts';
import { ACCEPT } from './check-document.ts';
import { DocumentPreview } from './document-preview.tsx';
import { controlProps, FieldFrame } from './field-frame.tsx';
import type { FieldProps } from './use-form.ts';

/**
 * A field for one document. It is a normal file input that is invisible, but works with the keyboard. The user sees its label,
 * and can drop a file on it.
 */
export function DocumentField({ field }: { field: FieldProps<File | null> }) {
  const input = useRef<HTMLInputElement>(null);
  const texts = useTexts();
  const hint = texts.hints.document(sizeText(settings.maxFileBytes));
  const choose = (file: File | null) => {
    setFile(input.current, file);
    field.onChange(file);
  };
  const remove = () => {
    choose(null);
    input.current?.focus();
  };
  return (
    <FieldFrame field={field} hint={hint} className="document">
      <input
        {...controlProps(field, hint)}
        ref={input}
        type="file"
        accept={ACCEPT}
        className="visually-hidden"
        onChange={({ target }) => field.onChange(target.files?.[0] ?? null)}
      />
      <DropZone id={field.id} file={field.value} onDrop={choose} />
      {field.value && (
        <button
          type="button"
          className="quiet"
          aria-label={texts.form.removeFile(field.label)}
          onClick={remove}
        >
          {texts.remove}
        </button>
      )}
    </FieldFrame>
  );
}

/** Puts a file into an input as if the user had chosen it there, or empties the input: a browser lets no value be set. */
function setFile(input: HTMLInputElement | null, file: File | null): void {
  const transfer = new DataTransfer();
  if (file) {
    transfer.items.add(file);
  }
  if (input) {
    input.files = transfer.files;
  }
}

interface DropZoneProperties {
  id: string;
  file: File | null;
  onDrop(file: File): void;
}

function DropZone({ id, file, onDrop }: DropZoneProperties) {
  const [isOver, setOver] = useState(false);
  const { form } = useTexts();
  const drop = ({ dataTransfer }: DragEvent) => {
    setOver(false);
    const [dropped] = dataTransfer.files;
    if (dropped) {
      onDrop(dropped);
    }
  };
  return (
    <label
      htmlFor={id}
      className={isOver ? 'drop-zone over' : 'drop-zone'}
      onDragOver={() => setOver(true)}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      {file ? (
        <DocumentPreview file={file} />
      ) : (
        <>
          <span className="drop-action">{form.chooseFile}</span>
          <span className="drop-hint">{form.dropFile}</span>
        </>
      )}
    </label>
  );
}
