import { multipart } from '../src/multipart.ts';

const textOf = async (body: FormData | Blob) => {
  const response = new Response(body);
  const [, boundary = ''] = /boundary=(.+)$/.exec(response.headers.get('content-type') ?? '') ?? [];
  expect(boundary).not.toBe('');
  return (await response.text()).replaceAll(boundary, 'BOUNDARY');
};

test('a form is encoded as the platform encodes it', async () => {
  const form = new FormData();
  form.append('operations', JSON.stringify({ name: 'Zoë\n"Łukasz"' }));
  form.append('a "name"', new Blob(['%PDF-1.7'], { type: 'application/pdf' }), 'Zoë "2".pdf');
  form.append('untyped', new Blob([]), 'line\r\nbreak');
  expect(await textOf(multipart(form))).toBe(await textOf(form));
});

test('each form has a boundary of its own', () => {
  expect(multipart(new FormData()).type).not.toBe(multipart(new FormData()).type);
});
