/**
 * Makes a PDF with one line of text, so that a doctor can be registered at the first click.
 * @param name the variable that the file is for, such as `licenseFile`
 */
export function exampleFile(name: string): File {
  const words = name.replace(/File$/, '');
  return new File([pdf(`Example ${words}: no real document`)], `${words}.pdf`, {
    type: 'application/pdf',
  });
}

/** A PDF (ISO 32000-1 section 7.5) with one line of ASCII text on one page. */
function pdf(text: string): string {
  const line = `BT /F1 18 Tf 40 100 Td (${text}) Tj ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 420 200] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${line.length} >>\nstream\n${line}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}`;
  return `${file}${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
}
