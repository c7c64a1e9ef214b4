import { isReactNative } from './platform.ts';

/** A file of React Native, such as its pickers answer. */
export interface NativeFile {
  /** Where the file is, such as `file:///…` or `content://…`. */
  uri: string;
  /** The file name. The gateway goes by the content. */
  name: string;
  /** The media type, such as `application/pdf`. */
  type: string;
}

/**
 * A document for a registration: a File of a browser, a Blob, in Node.js the path of a file, which is streamed from the disk, or in
 * React Native `{ uri, name, type }`.
 */
export type DocumentSource = Blob | string | NativeFile;

/** A document that can be sent. React Native's FormData takes its files as they are. */
export type OpenedDocument = { name: string; content: Blob } | { native: NativeFile };

/** The extension for each type of a Blob, which has no name. With `DOCUMENT_CHECK=signature`, the gateway may need one. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'application/pdf': '.pdf',
  'image/jpeg': '.jpg',
  'image/png': '.png',
  'image/webp': '.webp',
  'image/heic': '.heic',
  'image/tiff': '.tiff',
  'application/msword': '.doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': '.docx',
};

/**
 * Opens a document, or returns a text for people that says why it cannot be opened.
 * @param source of any type: JavaScript callers pass other things, too
 */
export async function openDocument(source: unknown): Promise<OpenedDocument | { problem: string }> {
  if (typeof source === 'string') {
    return openFile(source);
  }
  if (isBlob(source)) {
    return { name: 'name' in source ? String(source.name) : nameOf(source), content: source };
  }
  if (typeof source === 'object' && source !== null && 'uri' in source) {
    return openNative(source);
  }
  return {
    problem:
      'A document must be a File, a Blob, in Node.js the path of a file, or in React Native { uri, name, type }.',
  };
}

/** Also true for a Blob of another frame of the page. */
const isBlob = (source: unknown): source is Blob =>
  ['[object Blob]', '[object File]'].includes(Object.prototype.toString.call(source));

/** Makes a file name for a Blob. Its type may have parameters: `image/png;q=1`. */
const nameOf = ({ type }: Blob): string => `document${EXTENSIONS[type.split(';', 1).join('')] ?? ''}`;

function openNative({ uri, name, type }: Partial<Record<keyof NativeFile, unknown>>) {
  // Elsewhere a form would send the object as the text `[object Object]`.
  if (!isReactNative()) {
    return { problem: 'A file by its uri can be sent in React Native only; pass a File or a Blob.' };
  }
  const isComplete = typeof uri === 'string' && typeof name === 'string' && typeof type === 'string';
  // Without a full type, Android fails to send the request. Some pickers have it in `mimeType`.
  if (!isComplete || !uri || !name || !type.includes('/')) {
    return {
      problem:
        'A file of React Native needs uri, name and type, such as "license.pdf" and "application/pdf".',
    };
  }
  return { native: { uri, name, type } };
}

/** The parts of Node.js that are used here, so that the package does not need Node's types. */
interface NodeProcess {
  getBuiltinModule?(id: 'node:fs'): {
    openAsBlob(path: string): Promise<Blob>;
    promises: { stat(path: string): Promise<{ isFile(): boolean }> };
  };
}

/** Opens a file in Node.js. It does not import `fs`, because bundlers for browsers cannot resolve that. */
async function openFile(path: string): Promise<OpenedDocument | { problem: string }> {
  const { process } = globalThis as { process?: NodeProcess };
  const fs = process?.getBuiltinModule?.('node:fs');
  if (!fs) {
    return { problem: 'A path can be read in Node.js only; pass a File or a Blob.' };
  }
  const unreadable = { problem: `The file ${path} cannot be read.` };
  try {
    // A folder can be opened, too, but the upload would fail when it is read.
    if (!(await fs.promises.stat(path)).isFile()) {
      return unreadable;
    }
    const content = await fs.openAsBlob(path);
    return { name: path.split(/[\\/]/).at(-1) ?? path, content };
  } catch {
    return unreadable;
  }
}
