import { button, element } from './element.ts';
import { errorsOf, type Field, newId } from './field.ts';

/** The file types that a file dialog offers first. The gateway also checks the content. */
const ACCEPT = '.pdf,.jpg,.jpeg,.png,.webp,.heic,.tif,.tiff,.doc,.docx';
/** Pictures that every browser can show. */
const DRAWN = /^image\/(?:jpeg|png|webp)$/;

/**
 * A field for one document. It is a normal file input that is invisible, but works with the keyboard. The user sees its label,
 * and can drop a file on it.
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
  const show = () => {
    const [file] = control.files ?? [];
    zone.replaceChildren(...(file ? previewOf(file) : invitation()));
    remove.hidden = !file;
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

/** Puts a file into an input as if the user had chosen it there, or clears the input. */
function choose(control: HTMLInputElement, file?: File): void {
  const transfer = new DataTransfer();
  if (file) {
    transfer.items.add(file);
  }
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
    if (file) {
      accept(file);
    }
  });
}

const invitation = (): HTMLElement[] => [
  element('span', { class: 'drop-action' }, 'Choose a file'),
  element('span', { class: 'drop-hint' }, 'or drop it here'),
];

/** The preview of a document: the picture itself, or the type of any other file. */
function previewOf(file: File): HTMLElement[] {
  const name = element('span', { class: 'file-name' }, file.name);
  const size = element('span', { class: 'file-size' }, sizeText(file.size));
  if (!DRAWN.test(file.type)) {
    return [element('span', { class: 'file-kind', 'aria-hidden': 'true' }, kindOf(file)), name, size];
  }
  const url = URL.createObjectURL(file);
  const picture = element('img', { src: url, alt: '', class: 'thumbnail' });
  // The address keeps the file in memory. Once the picture is loaded, it is not needed any more.
  picture.addEventListener('load', () => URL.revokeObjectURL(url));
  return [picture, name, size];
}

const kindOf = ({ name }: File): string => /\.(\w{1,4})$/.exec(name)?.[1]?.toUpperCase() ?? 'FILE';

/** For people: `940 bytes`, `84 kB`, `2.4 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) {
    return `${bytes} bytes`;
  }
  if (bytes < 1_000_000) {
    return `${Math.round(bytes / 1000)} kB`;
  }
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
