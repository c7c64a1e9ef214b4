/** A cell of a spreadsheet. One that a program would run as a formula begins with a quote (OWASP CSV Injection). */
export function csvCell(text: string): string {
  const safe = /^[=+\-@＝＋－＠\t\r\n]/.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}
