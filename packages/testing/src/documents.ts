/** The objects of a PDF with one empty page (ISO 32000-1, 7.7). */
const OBJECTS = [
  '<</Type/Catalog/Pages 2 0 R>>',
  '<</Type/Pages/Kids[3 0 R]/Count 1>>',
  '<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>',
];

/** The smallest PDF that viewers open, with its table of objects (ISO 32000-1, 7.5). */
function emptyPdf(): string {
  let text = '%PDF-1.4\n';
  const offsets = OBJECTS.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj${object}endobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 4\n0000000000 65535 f \n${offsets.join('')}`;
  return `${text}${table}trailer<</Size 4/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF\n`;
}

/** A document to register a doctor with. */
export const aPdf = (): Blob => new Blob([emptyPdf()], { type: 'application/pdf' });
