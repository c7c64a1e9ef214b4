/**
 * A document to register with: a File as a browser gives it, a Blob of one of the types that the gateway accepts, or
 * in Node.js the path of a file, which is streamed from the disk.
 */
export type DocumentSource = Blob | string;

/** A document that can be sent. */
export interface NamedBlob {
  /** The gateway looks at its extension. */
  name: string;
  content: Blob;
}

/** The gateway judges a document by the extension of its name as well, and a Blob has none. */
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

/** Opens a document, or says in words for people why it cannot be opened. */
export async function openDocument(source: DocumentSource): Promise<NamedBlob | { problem: string }> {
  if (typeof source === 'string') {
    return openFile(source);
  }
  return { name: 'name' in source ? String(source.name) : nameOf(source), content: source };
}

/** A type may have parameters: `image/png;q=1`. */
const nameOf = ({ type }: Blob): string => `document${EXTENSIONS[type.split(';', 1).join('')] ?? ''}`;

/** The parts of Node.js that are used here: so that these types need none of its own. */
interface NodeProcess {
  getBuiltinModule?(id: 'node:fs'): {
    openAsBlob(path: string): Promise<Blob>;
    promises: { stat(path: string): Promise<{ isFile(): boolean }> };
  };
}

/** Asks the process for `fs` where there is one: an import would have to be explained to every bundler for browsers. */
async function openFile(path: string): Promise<NamedBlob | { problem: string }> {
  const { process } = globalThis as { process?: NodeProcess };
  const fs = process?.getBuiltinModule?.('node:fs');
  if (!fs) {
    return { problem: 'A path can be read in Node.js only; pass a File or a Blob.' };
  }
  const unreadable = { problem: `The file ${path} cannot be read.` };
  try {
    // A folder can be opened as well, and would break the upload when it is read.
    if (!(await fs.promises.stat(path)).isFile()) {
      return unreadable;
    }
    const content = await fs.openAsBlob(path);
    return { name: path.split(/[\\/]/).at(-1) ?? path, content };
  } catch {
    return unreadable;
  }
}
