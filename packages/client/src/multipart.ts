/** A name in a header of a part ("escaping" of names in the HTML standard, multipart/form-data encoding algorithm). */
const escaped = (name: string): string => name.replace(/[\r\n"]/g, encodeURIComponent);

/** Encodes a form whose texts have no line breaks, as `fetch` does (RFC 7578). The content of files is not copied. */
export function multipart(form: FormData): Blob {
  const boundary = `auth-gateway-${crypto.randomUUID()}`;
  const parts = [...form].flatMap(([name, value]) => {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${escaped(name)}"`;
    if (typeof value === 'string') {
      return [`${head}\r\n\r\n${value}\r\n`];
    }
    const type = value.type || 'application/octet-stream';
    return [`${head}; filename="${escaped(value.name)}"\r\nContent-Type: ${type}\r\n\r\n`, value, '\r\n'];
  });
  return new Blob([...parts, `--${boundary}--\r\n`], { type: `multipart/form-data; boundary=${boundary}` });
}
