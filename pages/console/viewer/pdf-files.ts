/*
 * What pdf.js asks for while it reads some PDFs: fonts, tables of characters, decoders of pictures. Not `quickjs-eval.wasm` of later
 * versions, which runs the scripts of a document.
 */

const addresses = import.meta.glob<string>(
  [
    '../../../node_modules/pdfjs-dist/cmaps/*.bcmap',
    '../../../node_modules/pdfjs-dist/standard_fonts/*.{pfb,ttf}',
    '../../../node_modules/pdfjs-dist/wasm/{jbig2,openjpeg,qcms_bg}.wasm',
  ],
  { query: '?url', import: 'default', eager: true },
);

/** The addresses of these files, by their names. */
export const pdfFiles: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(addresses).map(([path, address]) => [path.slice(path.lastIndexOf('/') + 1), address]),
);
