import { button, element } from './element.ts';
import { errorsOf, type Field, newId } from './field.ts';

/** What a file dialog offers first; the gateway looks at the content as well. */
const ACCEPT = '.pdf,.jpg,.jpeg,.png,.webp,.heic,.tif,.tiff,.doc,.docx';
/** Pictures that every browser can draw. */
const DRAWN = /^image\/(?:jpeg|png|webp)$/;

/**
 * A field for one document. It is an ordinary file input, hidden from sight but not from the keyboard; its label is what
 * one sees, and also takes what is dropped on it.
 */
export function documentField(label: string): Field<File | null> {
  const id = newId();
  const control = element('input', { id, type: 'file', accept: ACCEPT, class: 'visually-hidden' });
  const about = errorsOf(control, 'PDF, picture or Word document, up to 10 MB');
  const zone = element('label', { for: id, class: 'drop-zone' });
  const remove = button(
    'Remove',
    { class: 'quiet', 'aria-label': `Remove the ${label.toLowerCase()}` },
    () => {
      choose(control);
      control.focus();
    },
  );
  let stopPreview = () => {};
  const show = () => {
    stopPreview();
    const preview = previewOf(control.files?.[0]);
    stopPreview = preview.stop;
    zone.replaceChildren(...preview.elements);
    remove.hidden = !control.files?.length;
  };
  control.addEventListener('input', show);
  acceptDrops(zone, (file) => choose(control, file));
  show();
  const caption = element('label', { for: id }, label);
  return {
    element: element('div', { class: 'field document' }, caption, control, zone, remove, ...about.elements),
    label,
    control,
    get value() {
      return control.files?.[0] ?? null;
    },
    showErrors: about.show,
  };
}

/** Puts a file into an input as if somebody had chosen it there, or empties it. */
function choose(control: HTMLInputElement, file?: File): void {
  const transfer = new DataTransfer();
  if (file) transfer.items.add(file);
  control.files = transfer.files;
  control.dispatchEvent(new Event('input'));
}

function acceptDrops(zone: HTMLElement, accept: (file: File) => void): void {
  const highlight = (isOver: boolean) => zone.classList.toggle('over', isOver);
  zone.addEventListener('dragover', () => highlight(true));
  zone.addEventListener('dragleave', () => highlight(false));
  zone.addEventListener('drop', (event) => {
    highlight(false);
    const file = event.dataTransfer?.files[0];
    if (file) accept(file);
  });
}

/** What a document looks like, or where one would go. `stop` frees the memory that the preview takes. */
function previewOf(file: File | undefined): { elements: HTMLElement[]; stop: () => void } {
  if (!file) {
    const action = element('span', { class: 'drop-action' }, 'Choose a file');
    return { elements: [action, element('span', { class: 'drop-hint' }, 'or drop it here')], stop: () => {} };
  }
  const name = element('span', { class: 'file-name' }, file.name);
  const size = element('span', { class: 'file-size' }, sizeText(file.size));
  if (!DRAWN.test(file.type)) {
    const kind = element('span', { class: 'file-kind', 'aria-hidden': 'true' }, kindOf(file));
    return { elements: [kind, name, size], stop: () => {} };
  }
  const url = URL.createObjectURL(file);
  const picture = element('img', { src: url, alt: '', class: 'thumbnail' });
  return { elements: [picture, name, size], stop: () => URL.revokeObjectURL(url) };
}

const kindOf = ({ name }: File): string => /\.(\w{1,4})$/.exec(name)?.[1]?.toUpperCase() ?? 'FILE';

/** For people: `940 bytes`, `84 kB`, `2.4 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
