/**
 * A document for a registration: a File of a browser, a Blob of a type that the gateway accepts, or in Node.js the path of a
 * file, which is streamed from the disk.
 */
export type DocumentSource = Blob | string;

/** A document that can be sent. */
export interface NamedBlob {
  /** The file name. The gateway checks its extension. */
  name: string;
  content: Blob;
}

/** The extension for each type of a Blob, which has no name. The gateway also checks the extension of a document. */
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

/** Opens a document, or returns a text for people that says why it cannot be opened. */
export async function openDocument(source: DocumentSource): Promise<NamedBlob | { problem: string }> {
  if (typeof source === 'string') {
    return openFile(source);
  }
  return { name: 'name' in source ? String(source.name) : nameOf(source), content: source };
}

/** Makes a file name for a Blob. Its type may have parameters: `image/png;q=1`. */
const nameOf = ({ type }: Blob): string => `document${EXTENSIONS[type.split(';', 1).join('')] ?? ''}`;

/** The parts of Node.js that are used here, so that the package does not need Node's types. */
interface NodeProcess {
  getBuiltinModule?(id: 'node:fs'): {
    openAsBlob(path: string): Promise<Blob>;
    promises: { stat(path: string): Promise<{ isFile(): boolean }> };
  };
}

/** Opens a file in Node.js. It does not import `fs`, because bundlers for browsers cannot resolve that. */
async function openFile(path: string): Promise<NamedBlob | { problem: string }> {
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
